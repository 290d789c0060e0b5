// What a simulation comes to: pure, from its iterations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

#include "sim/engine/iteration_report.hpp"
#include "tools/sim/campaign.hpp"

namespace nearfork::tools {

/// Sums over some iterations.
struct simulated_sums {
  double time_ns = 0;
  std::array<double, sim::most_cache_levels> accesses{};  // by cache level, from the core outwards
  std::array<double, sim::most_cache_levels> misses{};
  double local = 0;   // lines from memory of the core's own domain
  double remote = 0;  // and of others
  double writebacks = 0;
  double invalidations = 0;
  std::array<double, steal_distances> steals{};
  double pool_takes = 0;
};

struct simulation_summary {
  std::size_t wanted = 0;     // iterations
  std::size_t simulated = 0;  // fewer if it ended early
  bool settled = false;       // the region found its way (iteration_report::steady())
  std::size_t steady = 0;     // iterations in it; without one, the second half of all
  /// All wanted iterations; those that were not simulated count as the mean of the steady ones.
  simulated_sums total;
  simulated_sums per_iteration;  // mean of the steady ones
  /// Standard error of total.time_ns that comes from that mean, as a part of it; none: everything was simulated.
  std::optional<double> extrapolation_error;
};

[[nodiscard]] simulation_summary summarize(const simulation_outcome& outcome);

/// By which part less than `baseline` it takes: 0.25 for three quarters of the time, negative if it takes longer.
[[nodiscard]] double gain_over(double baseline_ns, double time_ns) noexcept;

}  // namespace nearfork::tools

// The summary of a simulation, computed from its iterations. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

#include "sim/engine/iteration_report.hpp"
#include "tools/sim/campaign.hpp"

namespace nearfork::tools {

/// The policy that the others are compared with.
inline constexpr std::string_view baseline = "random";

/// Sums over some iterations.
struct simulated_sums {
  double time_ns = 0;
  double moving_ns = 0;  // pages were moved before iterations; in the total it is part of time_ns
  std::array<double, sim::most_cache_levels> accesses{};  // by cache level, from the core outward
  std::array<double, sim::most_cache_levels> misses{};
  double local = 0;   // lines from memory of the core's own domain
  double remote = 0;  // lines from other memory
  double writebacks = 0;
  double invalidations = 0;
  double side_hits = 0;  // of memory-side caches
  double side_misses = 0;
  std::array<double, steal_distances> steals{};
  double pool_takes = 0;
  double wanted_crossings = 0;
  double mugs = 0;
  double energy_j = 0;  // 0: not known
};

struct simulation_summary {
  std::size_t wanted = 0;     // iterations that were asked for
  std::size_t simulated = 0;  // iterations; fewer if it ended early
  bool settled = false;       // the region's search ended (iteration_report::steady())
  std::size_t steady = 0;     // iterations after that; if it did not end, the second half of all
  /// The sums over all wanted iterations. Those that were not simulated count as the mean of the steady ones.
  simulated_sums total;
  simulated_sums per_iteration;  // mean of the steady ones
  /// Standard error of total.time_ns that comes from that mean, as a fraction of it. nullopt: all iterations were
  /// simulated.
  std::optional<double> extrapolation_error;
};

[[nodiscard]] simulation_summary summarize(const simulation_outcome& outcome);

/// How much less time it takes than `baseline`, as a fraction: 0.25 for three quarters of the time. Negative if it
/// takes longer.
[[nodiscard]] double gain_over(double baseline_ns, double time_ns) noexcept;

}  // namespace nearfork::tools

// The results of a study, machine by machine: what its tables, JSON and CSV show.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/sim/campaign.hpp"
#include "tools/sim/request.hpp"
#include "tools/sim/results/summary.hpp"

namespace nearfork::tools {

struct machine_results {
  const simulated_machine* where;
  std::vector<const simulation_outcome*> interrupted;
  std::vector<const simulation_outcome*> outcomes;  // the others
  std::vector<simulation_summary> summaries;

  /// The time of random, if it was simulated.
  [[nodiscard]] std::optional<double> baseline_ns() const;
};

[[nodiscard]] std::vector<machine_results> by_machine(const sim_study& study,
                                                      const std::vector<simulation_outcome>& outcomes);

/// The levels of the machine's caches, by their place from the core outward: {2, 3} if it has no L1. Of its core with
/// the most.
[[nodiscard]] std::vector<unsigned> cache_levels_of(const machine& where);

/// How many virtual workers the machine has in this study.
[[nodiscard]] std::uint32_t workers_of(const sim_study& study, const simulated_machine& where);

}  // namespace nearfork::tools

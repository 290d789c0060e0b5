#include "tools/sim/results/machine_results.hpp"

#include "sim/machine/cache_layout.hpp"

namespace nearfork::tools {

std::optional<double> machine_results::baseline_ns() const {
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes[i]->policy == baseline) return summaries[i].per_iteration.time_ns;
  return std::nullopt;
}

std::vector<machine_results> by_machine(const sim_study& study, const std::vector<simulation_outcome>& outcomes) {
  std::vector<machine_results> made;
  auto next = outcomes.begin();
  for (const simulated_machine& where : study.machines) {
    machine_results& one = made.emplace_back();
    one.where = &where;
    for (std::size_t i = 0; i < study.policies.size(); ++i, ++next) {
      if (next->run.interrupted) {
        one.interrupted.push_back(&*next);
        continue;
      }
      one.outcomes.push_back(&*next);
      one.summaries.push_back(summarize(*next));
    }
  }
  return made;
}

std::vector<unsigned> cache_levels_of(const machine& where) {
  const sim::cache_layout layout = sim::caches_of(where);
  std::vector<unsigned> levels;
  for (const auto& path : layout.of_core) {
    if (path.size() <= levels.size()) continue;
    levels.clear();
    for (const std::uint32_t cache : path) levels.push_back(layout.caches[cache].level);
  }
  return levels;
}

std::uint32_t workers_of(const sim_study& study, const simulated_machine& where) {
  return study.workers == 0 ? where.what->suggested_workers() : study.workers;
}

}  // namespace nearfork::tools

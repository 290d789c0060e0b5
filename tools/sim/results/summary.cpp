#include "tools/sim/results/summary.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace nearfork::tools {
namespace {

void add(simulated_sums& to, const sim::iteration_report& one) {
  to.time_ns += static_cast<double>(one.duration_ps) / 1000;
  to.moving_ns += static_cast<double>(one.moving_ps) / 1000;
  for (std::size_t i = 0; i < sim::most_cache_levels; ++i) {
    to.accesses[i] += static_cast<double>(one.memory.level[i].accesses);
    to.misses[i] += static_cast<double>(one.memory.level[i].misses());
  }
  to.local += static_cast<double>(one.memory.local);
  to.remote += static_cast<double>(one.memory.remote);
  to.writebacks += static_cast<double>(one.memory.writebacks);
  to.invalidations += static_cast<double>(one.memory.invalidations);
  to.side_hits += static_cast<double>(one.memory.side_hits);
  to.side_misses += static_cast<double>(one.memory.side_misses);
  for (std::size_t i = 0; i < steal_distances; ++i) to.steals[i] += static_cast<double>(one.schedule.steals[i]);
  to.pool_takes += static_cast<double>(one.schedule.pool_takes);
  to.wanted_crossings += static_cast<double>(one.schedule.wanted_crossings);
  to.mugs += static_cast<double>(one.schedule.mugs);
  to.energy_j += static_cast<double>(one.energy_nj.value_or(0)) / 1e9;
}

/// Returns to + factor * what.
simulated_sums plus(simulated_sums to, const simulated_sums& what, double factor) {
  to.time_ns += factor * what.time_ns;
  to.moving_ns += factor * what.moving_ns;
  for (std::size_t i = 0; i < sim::most_cache_levels; ++i) {
    to.accesses[i] += factor * what.accesses[i];
    to.misses[i] += factor * what.misses[i];
  }
  to.local += factor * what.local;
  to.remote += factor * what.remote;
  to.writebacks += factor * what.writebacks;
  to.invalidations += factor * what.invalidations;
  to.side_hits += factor * what.side_hits;
  to.side_misses += factor * what.side_misses;
  for (std::size_t i = 0; i < steal_distances; ++i) to.steals[i] += factor * what.steals[i];
  to.pool_takes += factor * what.pool_takes;
  to.wanted_crossings += factor * what.wanted_crossings;
  to.mugs += factor * what.mugs;
  to.energy_j += factor * what.energy_j;
  return to;
}

simulated_sums sum_of(std::span<const sim::iteration_report> iterations) {
  simulated_sums made;
  for (const sim::iteration_report& one : iterations) add(made, one);
  return made;
}

/// The standard error of the iterations' mean duration, in ns.
double standard_error(std::span<const sim::iteration_report> iterations, double mean_ns) {
  if (iterations.size() < 2) return 0;
  double squares = 0;
  for (const sim::iteration_report& one : iterations) {
    const double off = static_cast<double>(one.duration_ps) / 1000 - mean_ns;
    squares += off * off;
  }
  const auto count = static_cast<double>(iterations.size());
  return std::sqrt(squares / (count - 1) / count);
}

}  // namespace

simulation_summary summarize(const simulation_outcome& outcome) {
  const std::span<const sim::iteration_report> all = outcome.run.iterations;
  const std::size_t from = steady_from(outcome.run.iterations);
  const bool settled = from < all.size();
  const auto steady = all.subspan(settled ? from : all.size() / 2);
  simulation_summary made{.wanted = outcome.wanted_iterations,
                          .simulated = all.size(),
                          .settled = settled,
                          .steady = steady.size(),
                          .total = sum_of(all),
                          .per_iteration = {},
                          .extrapolation_error = {}};
  made.total.time_ns += made.total.moving_ns;
  if (steady.empty()) return made;
  made.per_iteration = plus({}, sum_of(steady), 1.0 / static_cast<double>(steady.size()));
  if (made.wanted <= made.simulated) return made;
  const auto missing = static_cast<double>(made.wanted - made.simulated);
  made.total = plus(made.total, made.per_iteration, missing);
  made.extrapolation_error = missing * standard_error(steady, made.per_iteration.time_ns) / made.total.time_ns;
  return made;
}

double gain_over(double baseline_ns, double time_ns) noexcept {
  return baseline_ns <= 0 ? 0 : 1 - time_ns / baseline_ns;
}

}  // namespace nearfork::tools

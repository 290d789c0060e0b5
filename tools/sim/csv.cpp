// The results of `nearfork sim` as lines of fields: one per machine and policy.
#include <fmt/format.h>

#include <optional>

#include "tools/output/csv.hpp"
#include "tools/sim/formats.hpp"
#include "tools/sim/results/machine_results.hpp"

namespace nearfork::tools {
namespace {

/// "L3" is the last level of a machine with three; levels that it lacks have no misses.
std::vector<std::string> columns() {
  std::vector<std::string> names{"workload",
                                 "size",
                                 "seed",
                                 "machine",
                                 "workers",
                                 "policy",
                                 "iterations",
                                 "found_its_way",
                                 "simulated_total_ns",
                                 "simulated_each_ns",
                                 "gain_over_random"};
  for (std::size_t i = 0; i < sim::most_cache_levels; ++i) names.push_back(fmt::format("l{}_misses", i + 1));
  for (const char* const name : {"local_lines", "remote_lines", "writebacks", "invalidations"})
    names.emplace_back(name);
  for (std::size_t i = 0; i < steal_distances; ++i)
    names.push_back(fmt::format("steals_{}", name_of(static_cast<steal_distance>(i))));
  return names;
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

std::vector<std::string> fields_of(const sim_study& study, const simulated_machine& where,
                                   const simulation_outcome& outcome, const simulation_summary& sums,
                                   std::optional<double> baseline_ns) {
  const simulated_sums& each = sums.per_iteration;
  std::vector<std::string> fields{study.subject,
                                  study.size,
                                  std::to_string(study.seed),
                                  where.name,
                                  std::to_string(workers_of(study, where)),
                                  outcome.policy,
                                  std::to_string(sums.wanted),
                                  sums.settled ? "1" : "0",
                                  number_text(sums.total.time_ns),
                                  number_text(each.time_ns),
                                  baseline_ns ? number_text(gain_over(*baseline_ns, each.time_ns)) : ""};
  for (const double misses : each.misses) fields.push_back(number_text(misses));
  for (const double lines : {each.local, each.remote, each.writebacks, each.invalidations})
    fields.push_back(number_text(lines));
  for (const double steals : each.steals) fields.push_back(number_text(steals));
  return fields;
}

}  // namespace

std::string csv_text(const sim_study& study, const study_results& results) {
  std::string text = csv_line(columns());
  for (const machine_results& one : by_machine(study, results.outcomes))
    for (std::size_t i = 0; i < one.outcomes.size(); ++i)
      text += csv_line(fields_of(study, *one.where, *one.outcomes[i], one.summaries[i], one.baseline_ns()));
  return text;
}

}  // namespace nearfork::tools

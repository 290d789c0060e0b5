// The results of `nearfork sim` as lines of fields: one per machine and policy, and one for each further simulation, of
// which the time of an iteration is known alone.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/output/csv.hpp"
#include "tools/sim/formats.hpp"
#include "tools/sim/results/machine_results.hpp"
#include "tools/sim/results/summary.hpp"
#include "tools/sim/what_if.hpp"

namespace nearfork::tools {
namespace {

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

/// By level, L1 first. Empty for levels that the machine lacks.
std::array<std::string, sim::most_cache_levels> misses_by_level(const simulated_machine& where,
                                                                const simulated_sums& sums) {
  std::array<std::string, sim::most_cache_levels> made;
  const std::vector<unsigned> levels = cache_levels_of(*where.what);
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (levels[i] >= 1 && levels[i] <= made.size()) made[levels[i] - 1] = number_text(sums.misses[i]);
  return made;
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
  for (const std::string& misses : misses_by_level(where, each)) fields.push_back(misses);
  for (const double lines : {each.local, each.remote, each.writebacks, each.invalidations})
    fields.push_back(number_text(lines));
  for (const double steals : each.steals) fields.push_back(number_text(steals));
  return fields;
}

/// What distinguishes a further simulation from that of the same machine and policy in the tables.
struct further_run {
  std::string subject;
  std::string size;
  std::uint64_t seed;
  std::uint32_t workers;
};

/// `times_ns`: by policy.
std::string text_of(const machine_answer& answer, const further_run& run, const std::vector<double>& times_ns) {
  const auto base = std::ranges::find(answer.policies, baseline, &policy_answer::policy) - answer.policies.begin();
  const bool has_base = std::cmp_less(base, times_ns.size());
  std::string text;
  for (std::size_t p = 0; p < times_ns.size(); ++p) {
    std::vector<std::string> fields{run.subject,
                                    run.size,
                                    std::to_string(run.seed),
                                    answer.machine,
                                    std::to_string(run.workers),
                                    answer.policies[p].policy,
                                    "",
                                    "",
                                    "",
                                    number_text(times_ns[p])};
    if (has_base) fields.push_back(number_text(gain_over(times_ns[static_cast<std::size_t>(base)], times_ns[p])));
    fields.resize(columns().size());
    text += csv_line(fields);
  }
  return text;
}

/// By policy.
std::vector<double> times_of(const machine_answer& answer, std::vector<double> policy_answer::* which, std::size_t i) {
  std::vector<double> times;
  for (const policy_answer& one : answer.policies) times.push_back((one.*which).at(i));
  return times;
}

/// Other seeds, other recordings of the program, and other numbers of workers.
std::string further_text(const sim_study& study, const machine_answer& answer) {
  std::string text;
  for (std::size_t i = 1; i < study.seeds; ++i)
    text += text_of(answer, {study.subject, study.size, study.seed + i, answer.workers},
                    times_of(answer, &policy_answer::by_seed, i));
  for (std::size_t i = 0; i < study.further.size(); ++i)
    text += text_of(answer, {study.further[i].file, tasks_text(study.further[i].what), study.seed, answer.workers},
                    times_of(answer, &policy_answer::by_run, i + 1));
  for (const sweep_point& point : answer.sweep)
    if (point.workers != answer.workers)
      text += text_of(answer, {study.subject, study.size, study.seed, point.workers}, point.time_ns);
  return text;
}

}  // namespace

std::string csv_text(const sim_study& study, const study_results& results) {
  std::string text = csv_line(columns());
  const std::vector<machine_results> machines = by_machine(study, results.outcomes);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const machine_results& one = machines[m];
    for (std::size_t i = 0; i < one.outcomes.size(); ++i)
      text += csv_line(fields_of(study, *one.where, *one.outcomes[i], one.summaries[i], one.baseline_ns()));
    if (results.answer) text += further_text(study, results.answer->machines[m]);
  }
  return text;
}

}  // namespace nearfork::tools

#include "tools/reproduce/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <nearfork/error.hpp>

#include "tools/output/json_dump.hpp"
#include "tools/simulated/simulated_workload.hpp"
#include "tools/workload_words.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {
namespace {

std::vector<double> durations_ns(const sim::region_run& run) {
  std::vector<double> durations;
  for (const sim::iteration_report& one : run.iterations)
    durations.push_back(static_cast<double>(one.duration_ps) / 1000);
  return durations;
}

experiment_run run_of(const simulation_outcome& outcome) {
  return {.policy = outcome.policy,
          .summary = summarize(outcome),
          .iteration_ns = durations_ns(outcome.run),
          .why = outcome.run.why,
          .last_traffic_of_node = outcome.run.iterations.back().traffic_bytes_of_node};
}

/// Simulates those that are not kept, and keeps them.
std::vector<experiment_run> runs_of(const std::vector<simulation_job>& jobs, const reproduction_settings& settings) {
  std::vector<experiment_run> runs(jobs.size());
  std::vector<simulation_job> missing;
  std::vector<std::size_t> places;  // of the missing ones, in `jobs`
  const std::size_t first = settings.kept != nullptr ? settings.kept->numbers(jobs.size()) : 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto kept = settings.kept != nullptr ? settings.kept->find<experiment_run>(first + i, jobs[i].title) : std::nullopt;
    if (kept) {
      runs[i] = *std::move(kept);
    } else {
      missing.push_back(jobs[i]);
      places.push_back(i);
    }
  }
  const auto keep = [&](std::size_t i, const simulation_outcome& outcome) {
    experiment_run& made = runs[places[i]];
    made = run_of(outcome);
    if (settings.kept != nullptr) settings.kept->keep(first + places[i], missing[i].title, made);
  };
  (void)simulate_all(missing, settings.threads, settings.watch, {}, keep);
  return runs;
}

/// In Gaussian elimination all iterations differ, so their mean tells nothing.
bool has_steady_state(const sim::program& what, std::uint64_t iterations) {
  return what.graphs.size() < iterations;
}

}  // namespace

experiment_runs run_experiments(const simulated_machine& where, const std::vector<experiment>& what,
                                const std::vector<std::string>& policies, const reproduction_settings& settings) {
  experiment_runs runs;
  for (const experiment& one : what) {
    const workloads::workload& workload = workloads::find_workload(one.workload);
    const auto size = size_of_workload(workload.name, workload.sizes, one.size);
    const std::uint64_t iterations = one.calls == 0 ? iterations_of(workload, size) : one.calls;
    sim::program program =
        simulated_program(workload, {.size = size,
                                     .seed = settings.seed,
                                     .speed = where.speed,
                                     .iterations = iterations,
                                     .setup = has_setup(workload, one.setup) ? one.setup : setup_of_workloads});
    // Iterative programs are profiled and do not tell their input size; the others tell it (A-CAB, section 3.2.2).
    if (one.calls == 0 && iterations > 1) program.input_bytes = 0;
    if (!one.pages.empty()) program.placing = sim::placing_called(one.pages);
    check_it_fits(where, workload.name, program.data_bytes());
    std::vector<simulation_job> jobs;
    for (const std::string& policy : policies)
      jobs.push_back({.title = fmt::format("{} ({}) under {}", one.workload, one.size, policy),
                      .what = &program,
                      .where = &where,
                      .policy = policy,
                      .iterations = iterations,
                      .seed = settings.seed,
                      .ends = {has_steady_state(program, iterations) ? one.steady_iterations : 0}});
    for (experiment_run& made : runs_of(jobs, settings)) {
      made.benchmark = one.workload;
      runs.push_back(std::move(made));
    }
  }
  return runs;
}

const experiment_run* find_run(const experiment_runs& runs, const std::string& benchmark, const std::string& policy) {
  const auto found = std::ranges::find_if(
      runs, [&](const experiment_run& one) { return one.benchmark == benchmark && one.policy == policy; });
  return found == runs.end() ? nullptr : &*found;
}

const experiment_run& run_of(const experiment_runs& runs, const std::string& benchmark, const std::string& policy) {
  const experiment_run* const found = find_run(runs, benchmark, policy);
  if (found == nullptr) throw error(fmt::format("nearfork: {} was not run under {}", benchmark, policy));
  return *found;
}

double gain_of(const experiment_runs& runs, const std::string& benchmark, const std::string& policy) {
  return 100 * gain_over(run_of(runs, benchmark, "random").summary.total.time_ns,
                         run_of(runs, benchmark, policy).summary.total.time_ns);
}

double greatest_extrapolation_error(const experiment_runs& runs) {
  double greatest = 0;
  for (const experiment_run& one : runs) greatest = std::max(greatest, one.summary.extrapolation_error.value_or(0));
  return 100 * greatest;
}

std::string text_of(const reproduction& made) {
  std::string text = made.paper + ", simulated\n";
  for (const std::string& line : made.conditions) text += fmt::format("  {}\n", line);
  for (const result_table& table : made.tables) text += fmt::format("\n{}", text_of(table));
  text += "\n";
  for (const std::string& line : made.verdicts) text += line + "\n";
  return text;
}

std::string markdown_of(const reproduction& made) {
  std::string text = fmt::format("## {}, simulated\n\n", made.paper);
  for (const std::string& line : made.conditions) text += fmt::format("- {}\n", line);
  for (const result_table& table : made.tables) text += fmt::format("\n{}", markdown_of(table));
  text += "\n";
  for (const std::string& line : made.verdicts) text += fmt::format("- {}\n", line);
  return text;
}

std::string csv_text_of(const reproduction& made) {
  std::string text = csv_columns_of_tables;
  for (const result_table& table : made.tables) text += csv_of(table);
  return text;
}

std::string json_text_of(const reproduction& made) {
  nlohmann::json json = {{"version", 1},
                         {"simulated", true},
                         {"paper", made.paper},
                         {"conditions", made.conditions},
                         {"verdicts", made.verdicts},
                         {"tables", nlohmann::json::array()}};
  for (const result_table& table : made.tables) json["tables"].push_back(json_of(table));
  return dumped(json) + "\n";
}

}  // namespace nearfork::tools

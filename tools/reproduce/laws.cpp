#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tools/reproduce/paper_comparison.hpp"

namespace nearfork::tools {
namespace {

const std::vector<std::string> laws_policies{"random", "cats", "laws-nc", "laws"};

/// The cuboid programs have ten times as many lines as the matrix programs, and vary less.
std::size_t steady_iterations(reproduction_extent extent, std::string_view workload) {
  if (extent == reproduction_extent::quick) return is_cuboid(workload) ? 3 : 5;
  return is_cuboid(workload) ? 10 : 30;
}

/// Also fewer iterations: all of them are simulated once, to tell the error of leaving out most of them.
std::string quick_size(std::string_view workload) {
  if (workload == "ge") return "laws,size=128,iterations=127";
  if (workload == "6p") return "laws,planes=256,iterations=30";
  if (workload == "25p") return "laws,planes=128,iterations=30";
  return "laws,rows=1024,iterations=30";
}

/// Section 5.1; 200 iterations, as in Fig. 8. LAWS does not give the size of 9p: heat's is used. ge has the whole
/// elimination.
std::vector<experiment> programs(reproduction_extent extent) {
  std::vector<experiment> made;
  for (const std::string name : {"heat", "sor", "ge", "6p", "9p", "25p"})
    for (const char* const tree : {"", "-ir"})
      made.push_back({.workload = name + tree,
                      .size = extent == reproduction_extent::quick ? quick_size(name) : "laws",
                      .steady_iterations = steady_iterations(extent, name)});
  return made;
}

std::string order_verdict(const benchmark_list& of, const experiment_runs& runs) {
  std::vector<std::string> others;
  for (const std::string& name : of.names) {
    const auto time = [&](std::size_t policy) { return run_of(runs, name, of.policies[policy]).summary.total.time_ns; };
    if (!(time(0) > time(1) && time(1) > time(2) && time(2) > time(3))) others.push_back(name);
  }
  return fmt::format("random slower than cats, cats than laws-nc, laws-nc than laws: {} of {} benchmarks{}",
                     of.names.size() - others.size(), of.names.size(),
                     others.empty() ? "" : fmt::format("; not so {}", fmt::join(others, ", ")));
}

/// The paper counts the local accesses of the straggler socket, ours counts all sockets; so each is shown beside its
/// own Cilk.
result_table local_table(const benchmark_list& of, const experiment_runs& runs) {
  result_table made{.id = "laws-local", .title = "LAWS, Table 2: lines from local memory"};
  made.columns = {{"benchmark"},    {"policy"},         {"local 1e6", 2},
                  {"local part %"}, {"of random's", 2}, {"paper, straggler 1e6", 2},
                  {"of Cilk's", 2}};
  for (const std::string& name : of.names)
    for (const std::string& policy : of.policies) {
      const simulated_sums& total = run_of(runs, name, policy).summary.total;
      const double base = run_of(runs, name, "random").summary.total.local;
      const auto theirs = figure_of(laws_figures(), name, policy, paper_metric::local_accesses);
      const auto cilk = figure_of(laws_figures(), name, "random", paper_metric::local_accesses);
      const double from_memory = total.local + total.remote;
      made.rows.push_back({name, policy, total.local / 1e6,
                           from_memory == 0 ? table_cell() : table_cell(100 * total.local / from_memory),
                           base == 0 ? table_cell() : table_cell(total.local / base),
                           theirs ? table_cell(*theirs) : table_cell(),
                           theirs && cilk ? table_cell(*theirs / *cilk) : table_cell()});
    }
  made.notes.emplace_back(
      "The paper's are of the socket that is slowest, ours of all; compare the columns that are ratios.");
  return made;
}

line_chart convergence(const experiment_runs& runs, const std::vector<std::string>& names) {
  line_chart made{.title = "LAWS, Fig. 8, simulated: each iteration under laws",
                  .x_title = "iteration",
                  .unit = "part of the first",
                  .x = {},
                  .series = {}};
  for (const std::string& name : names) {
    const auto& durations = run_of(runs, name, "laws").iteration_ns;
    chart_series& one = made.series.emplace_back();
    one.name = name;
    for (const double ns : durations) one.values.push_back(ns / durations.front());
    while (made.x.size() < durations.size()) made.x.push_back(static_cast<double>(made.x.size() + 1));
  }
  return made;
}

result_table convergence_table(const experiment_runs& runs, const std::vector<std::string>& names) {
  result_table made{.id = "laws-convergence", .title = "LAWS, Fig. 8: the search for the best packing"};
  made.columns = {
      {"benchmark"}, {"first iteration ms", 2}, {"slowest ms", 2}, {"steady ms", 2}, {"iterations until then", 0}};
  for (const std::string& name : names) {
    const experiment_run& run = run_of(runs, name, "laws");
    made.rows.push_back({name, run.iteration_ns.front() / 1e6, *std::ranges::max_element(run.iteration_ns) / 1e6,
                         run.summary.per_iteration.time_ns / 1e6,
                         run.summary.settled
                             ? table_cell(static_cast<double>(run.summary.simulated - run.summary.steady))
                             : table_cell("not settled")});
  }
  return made;
}

/// One program in full, beside the extrapolation from its first iterations.
result_table extrapolation_table(const simulated_machine& where, experiment what, const experiment_runs& short_runs,
                                 const reproduction_settings& settings) {
  result_table made{.id = "laws-extrapolation", .title = "What leaving out steady iterations costs in accuracy"};
  made.columns = {{"benchmark"},          {"policy"},     {"all iterations ms", 2},
                  {"extrapolated ms", 2}, {"error %", 2}, {"L3 misses error %", 2}};
  what.steady_iterations = 0;
  for (const experiment_run& full : run_experiments(where, {what}, {"random", "laws"}, settings)) {
    const simulated_sums& all = full.summary.total;
    const simulated_sums& guessed = run_of(short_runs, full.benchmark, full.policy).summary.total;
    made.rows.push_back(
        {full.benchmark, full.policy, all.time_ns / 1e6, guessed.time_ns / 1e6,
         100 * (guessed.time_ns / all.time_ns - 1),
         all.misses[l3] == 0 ? table_cell() : table_cell(100 * (guessed.misses[l3] / all.misses[l3] - 1))});
  }
  return made;
}

}  // namespace

reproduction reproduce_laws(const simulated_machine& where, const reproduction_settings& settings) {
  const bool full = settings.extent == reproduction_extent::full;
  const auto what = programs(settings.extent);
  benchmark_list of{{}, laws_policies};
  for (const experiment& one : what) of.names.push_back(one.workload);
  const auto runs = run_experiments(where, what, laws_policies, settings);
  const std::vector<std::string> shown{"25p", "6p-ir", "heat-ir"};

  reproduction made{.paper = "LAWS (ICS 2014)",
                    .conditions = conditions_of(where, settings, what),
                    .tables = {},
                    .verdicts = {},
                    .pictures = {}};
  made.tables.push_back(gain_table("laws-gain", "LAWS, Fig. 7: all benchmarks", of, runs));
  made.tables.push_back(
      miss_table("laws-l3-misses", "LAWS, Table 2: L3 misses", of, runs, l3, paper_metric::l3_misses, laws_figures()));
  made.tables.push_back(local_table(of, runs));
  made.tables.push_back(convergence_table(runs, shown));
  made.tables.push_back(extrapolation_table(where, what.front(), runs, settings));
  made.verdicts = {order_verdict(of, runs), range_verdict(of, runs, laws_range()),
                   range_verdict(of, runs, cats_range()),
                   miss_verdict(of, runs, l3, paper_metric::l3_misses, laws_figures())};
  made.pictures = {{"laws-gain.svg", svg_of(gain_chart("LAWS, Fig. 7, simulated", of, runs))},
                   {"laws-convergence.svg", svg_of(convergence(runs, shown))}};

  struct scaled {
    const char* workload;
    const char* field;
    const char* others;
    std::vector<std::uint64_t> quick;
  };
  for (const scaled& one : {scaled{"heat-ir", "rows", ",columns=1024,iterations=200", {512, 1024}},
                            scaled{"6p", "planes", ",rows=64,columns=64,iterations=200", {128, 256}}}) {
    auto scaling = scaling_of(where,
                              {fmt::format("laws-scaling-{}", one.workload), one.workload, one.field, one.others,
                               full ? std::vector<std::uint64_t>{1024, 2048, 4096, 8192, 16384} : one.quick,
                               steady_iterations(settings.extent, one.workload)},
                              {"random", "cats", "laws"}, settings, laws_scaling());
    made.tables.push_back(std::move(scaling.table));
    std::ranges::move(scaling.pictures, std::back_inserter(made.pictures));
  }
  made.tables.push_back(overhead_table("laws-overhead", "LAWS, Fig. 12: programs bound by the cores", where,
                                       {"random", "cats", "laws"}, settings));
  return made;
}

}  // namespace nearfork::tools

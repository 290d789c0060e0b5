#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "sim/machine/scaled_model.hpp"
#include "tools/reproduce/paper_comparison.hpp"

namespace nearfork::tools {
namespace {

constexpr std::size_t trials_in_figure_7 = 20;
/// The cuboids have 512 MiB to 2 GiB: one line stands for so many, in the caches, too.
constexpr std::uint32_t scale_of_cuboids = 8;
constexpr std::uint32_t scale_of_large_cuboids = 16;
const std::vector<std::string> saws_policies{"random", "aaws", "laws", "saws"};

/// Section VI.A and B; the number of iterations is not given.
std::string size_of(std::string_view workload, bool large) {
  if (workload == "ge") return "size=2048,iterations=2047";
  if (is_cuboid(workload)) return fmt::format("planes={},rows=128,columns=128,iterations=100", large ? 8192 : 2048);
  if (large) return "rows=8192,columns=4096,iterations=100";
  return fmt::format("rows={},columns=2048,iterations=100", workload == "9p" ? 4096 : 8192);
}

std::string quick_size_of(std::string_view workload) {
  if (workload == "ge") return "size=192,iterations=191";
  if (is_cuboid(workload)) return "planes=256,rows=64,columns=64,iterations=60";
  return "rows=2048,columns=512,iterations=60";
}

std::vector<experiment> programs(reproduction_extent extent, const std::vector<std::string>& names, bool large) {
  std::vector<experiment> made;
  for (const std::string& name : names)
    for (const char* const tree : {"", "-ir"})
      made.push_back({.workload = name + tree,
                      .size = extent == reproduction_extent::quick ? quick_size_of(name) : size_of(name, large),
                      .steady_iterations = is_cuboid(name) ? 5U : 10U});
  return made;
}

/// Cuboids at that scale, other programs line by line.
experiment_runs run_all(const simulated_machine& where, const std::vector<experiment>& what, std::uint32_t scale,
                        const reproduction_settings& settings) {
  simulated_machine coarse = where;
  coarse.model = sim::scaled(*where.what, where.model, scale);
  experiment_runs runs;
  for (const experiment& one : what)
    std::ranges::move(run_experiments(is_cuboid(one.workload) ? coarse : where, {one}, saws_policies, settings),
                      std::back_inserter(runs));
  return runs;
}

benchmark_list list_of(const std::vector<experiment>& what) {
  benchmark_list of{{}, saws_policies};
  for (const experiment& one : what) of.names.push_back(one.workload);
  return of;
}

/// Fig. 7: one row for each alpha that was tried.
result_table alpha_table(const experiment_runs& runs, const std::vector<std::string>& names) {
  result_table made{.id = "saws-alpha", .title = "SAWS, Fig. 7: the search for alpha"};
  made.columns = {
      {"benchmark"}, {"trial", 0}, {"alpha", 4}, {"part of the data in big domains", 3}, {"wanted crossings", 1}};
  for (const std::string& name : names) {
    const balance_summary& seen = run_of(runs, name, "saws").why.balance;
    for (std::size_t k = 0; k < seen.factors.size(); ++k)
      made.rows.push_back({name, static_cast<double>(k), seen.factors[k], seen.factors[k] / (seen.factors[k] + 1),
                           k < seen.crossings.size() ? table_cell(seen.crossings[k]) : table_cell()});
  }
  made.notes.emplace_back(
      "A trial is some iterations with one alpha. If the last alpha was worse than the one before, the search went "
      "back "
      "to that one.");
  return made;
}

line_chart alpha_chart(const experiment_runs& runs, const std::vector<std::string>& names) {
  line_chart made{.title = "SAWS, Fig. 7, simulated", .x_title = "trial", .unit = "alpha", .x = {}, .series = {}};
  for (const std::string& name : names) {
    const balance_summary& seen = run_of(runs, name, "saws").why.balance;
    made.series.push_back({name, seen.factors});
    while (made.x.size() < seen.factors.size()) made.x.push_back(static_cast<double>(made.x.size()));
  }
  return made;
}

/// Joules and watts of the steady state.
result_table energy_table(const benchmark_list& of, const experiment_runs& runs) {
  result_table made{.id = "saws-energy", .title = "Energy and power, which the paper does not report"};
  made.columns = {{"benchmark"}, {"policy"}, {"mJ per iteration", 2}, {"of random's", 3}, {"W", 1}};
  for (const std::string& name : of.names)
    for (const std::string& policy : of.policies) {
      const simulated_sums& mean = run_of(runs, name, policy).summary.per_iteration;
      const double base_j = run_of(runs, name, "random").summary.per_iteration.energy_j;
      made.rows.push_back({name, policy, mean.energy_j * 1e3,
                           base_j > 0 ? table_cell(mean.energy_j / base_j) : table_cell(),
                           mean.time_ns > 0 ? table_cell(mean.energy_j / mean.time_ns * 1e9) : table_cell()});
    }
  return made;
}

/// Fig. 8: how many times faster than Cilk.
result_table speedup_table(const benchmark_list& of, const experiment_runs& runs, std::vector<std::string> notes) {
  result_table made{.id = "saws-scaling", .title = "SAWS, Fig. 8: larger inputs", .notes = std::move(notes)};
  made.columns = {{"benchmark"}, {"random ms", 2}};
  for (std::size_t i = 1; i < of.policies.size(); ++i) made.columns.push_back({of.policies[i] + " speedup", 2});
  for (const std::string& name : of.names) {
    const double base_ns = run_of(runs, name, "random").summary.total.time_ns;
    std::vector<table_cell> row{name, base_ns / 1e6};
    for (std::size_t i = 1; i < of.policies.size(); ++i)
      row.emplace_back(base_ns / run_of(runs, name, of.policies[i]).summary.total.time_ns);
    made.rows.push_back(std::move(row));
  }
  return made;
}

std::string saws_order_verdict(const benchmark_list& of, const experiment_runs& runs) {
  std::vector<std::string> others;
  for (const std::string& name : of.names) {
    const auto time = [&](const char* policy) { return run_of(runs, name, policy).summary.per_iteration.time_ns; };
    if (!(time("saws") < time("laws") && time("laws") < time("random"))) others.push_back(name);
  }
  return fmt::format("saws faster than laws, laws than random, once steady: {} of {} benchmarks{}",
                     of.names.size() - others.size(), of.names.size(),
                     others.empty() ? "" : fmt::format("; not so {}", fmt::join(others, ", ")));
}

std::string alpha_verdict(const experiment_runs& runs, const std::vector<std::string>& names) {
  std::vector<std::string> told;
  for (const std::string& name : names) {
    const experiment_run& run = run_of(runs, name, "saws");
    told.push_back(fmt::format("{} {} {} trials", name, run.summary.settled ? "settles after" : "does NOT settle in",
                               run.why.balance.factors.size()));
  }
  return fmt::format("alpha: {}; the paper's settle within {} iterations (Fig. 7)", fmt::join(told, ", "),
                     trials_in_figure_7);
}

std::string speedup_verdict(const benchmark_list& of, const experiment_runs& runs) {
  double most = 0;
  std::string where;
  for (const std::string& name : of.names) {
    const double speedup =
        run_of(runs, name, "random").summary.total.time_ns / run_of(runs, name, "saws").summary.total.time_ns;
    if (speedup > most) where = name;
    most = std::max(most, speedup);
  }
  return fmt::format("larger inputs: saws is {:.2f} times as fast as random at most ({}); the paper has 5.95 (6p)",
                     most, where);
}

}  // namespace

reproduction reproduce_saws(const simulated_machine& where, const reproduction_settings& settings) {
  const bool full = settings.extent == reproduction_extent::full;
  const auto what = programs(settings.extent, {"heat", "ge", "9p", "25p", "6p"}, false);
  const benchmark_list of = list_of(what);
  const auto runs = run_all(where, what, full ? scale_of_cuboids : 1, settings);
  const std::vector<std::string> traced{"heat", "25p"};

  reproduction made{.paper = "SAWS",
                    .conditions = conditions_of(where, settings, what),
                    .tables = {},
                    .verdicts = {},
                    .pictures = {}};
  if (full)
    made.conditions.push_back(fmt::format("6p and 25p: one line stands for {}, in the caches, too", scale_of_cuboids));
  if (!sim::can_share_power(where.model))
    made.conditions.emplace_back("clocks are fixed: the machine's model does not say which clocks its cores can have");
  made.tables.push_back(gain_table("saws-gain", "SAWS, Fig. 6: all benchmarks", of, runs));
  made.tables.push_back(alpha_table(runs, traced));
  made.tables.push_back(
      miss_table("saws-misses", "SAWS, Table IV: L3 misses", of, runs, l3, paper_metric::l3_misses, saws_figures()));
  made.tables.push_back(energy_table(of, runs));
  made.verdicts = {saws_order_verdict(of, runs)};
  for (const paper_range& range : saws_ranges()) made.verdicts.push_back(range_verdict(of, runs, range));
  made.verdicts.push_back(miss_verdict(of, runs, l3, paper_metric::l3_misses, saws_figures()));
  made.verdicts.push_back(alpha_verdict(runs, traced));
  made.pictures = {{"saws-gain.svg", svg_of(gain_chart("SAWS, Fig. 6, simulated", of, runs))},
                   {"saws-alpha.svg", svg_of(alpha_chart(runs, traced))}};

  const auto large = programs(settings.extent, {"heat", "9p", "25p", "6p"}, true);
  const auto large_runs = full ? run_all(where, large, scale_of_large_cuboids, settings) : runs;
  const std::string inputs = fmt::format("Inputs: {} and {}. 6p and 25p: one line stands for {}.",
                                         size_of("heat", true), size_of("6p", true), scale_of_large_cuboids);
  made.tables.push_back(
      speedup_table(list_of(large), large_runs, {full ? inputs : "Quick: the inputs of the first table."}));
  made.verdicts.push_back(speedup_verdict(list_of(large), large_runs));
  return made;
}

}  // namespace nearfork::tools

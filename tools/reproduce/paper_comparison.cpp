#include "tools/reproduce/paper_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace nearfork::tools {
namespace {

constexpr double ms = 1e6;
constexpr double million = 1e6;

double ratio_to_random(const experiment_runs& runs, const std::string& benchmark, const std::string& policy,
                       std::size_t level) {
  const double base = run_of(runs, benchmark, "random").summary.total.misses[level];
  return base == 0 ? std::nan("") : run_of(runs, benchmark, policy).summary.total.misses[level] / base;
}

std::optional<double> paper_ratio(std::span<const paper_figure> paper, const std::string& benchmark,
                                  const std::string& policy, paper_metric metric) {
  const auto base = figure_of(paper, benchmark, "random", metric);
  const auto found = figure_of(paper, benchmark, policy, metric);
  return base && found ? std::optional(*found / *base) : std::nullopt;
}

table_cell cell_of(const std::optional<double>& number) {
  return number ? table_cell(*number) : table_cell();
}

table_cell finite(double number) {
  return std::isfinite(number) ? table_cell(number) : table_cell();
}

}  // namespace

bool is_cuboid(std::string_view workload) {
  return workload.starts_with("6p") || workload.starts_with("25p");
}

std::vector<std::string> conditions_of(const simulated_machine& where, const reproduction_settings& settings,
                                       const std::vector<experiment>& what) {
  std::vector<std::string> sizes;
  for (const experiment& one : what) sizes.push_back(fmt::format("{} {}", one.workload, one.size));
  std::vector<std::string> made{
      fmt::format("machine: {} ({}), {} workers; {:.3g} ns per operation; seed {}", where.name, where.what->summary(),
                  where.what->suggested_workers(), where.speed.ns_per_operation, settings.seed),
      fmt::format("inputs: {}{}", fmt::join(sizes, "; "),
                  settings.extent == reproduction_extent::quick
                      ? " (quick: smaller than the paper's, and fewer iterations)"
                      : ""),
      "before the first iteration, and not timed: grids are allocated row by row and filled in parallel, as MIT Cilk's "
      "heat does it; one thread writes other data",
      "gain: how much less time than random, which is Cilk: 50% is twice as fast; the papers' numbers are read so, too",
  };
  made.insert(made.begin() + 1, where.assumed.begin(), where.assumed.end());
  return made;
}

result_table gain_table(std::string id, std::string title, const benchmark_list& of, const experiment_runs& runs) {
  result_table made{.id = std::move(id), .title = std::move(title)};
  made.columns = {{"benchmark"}, {"random ms", 2}};
  for (std::size_t i = 1; i < of.policies.size(); ++i) {
    made.columns.push_back({of.policies[i] + " ms", 2});
    made.columns.push_back({of.policies[i] + " gain %", 1});
  }
  made.columns.push_back({"simulated iterations"});
  for (const std::string& name : of.names) {
    std::vector<table_cell> row{name, run_of(runs, name, "random").summary.total.time_ns / ms};
    std::vector<std::string> counts{std::to_string(run_of(runs, name, "random").summary.simulated)};
    for (std::size_t i = 1; i < of.policies.size(); ++i) {
      const experiment_run& run = run_of(runs, name, of.policies[i]);
      row.emplace_back(run.summary.total.time_ns / ms);
      row.emplace_back(gain_of(runs, name, of.policies[i]));
      counts.push_back(std::to_string(run.summary.simulated));
    }
    row.emplace_back(fmt::format("{} of {}", fmt::join(counts, "/"), run_of(runs, name, "random").summary.wanted));
    made.rows.push_back(std::move(row));
  }
  made.notes.push_back(
      fmt::format("Iterations that were not simulated count as the mean of the steady ones: standard error {:.2f}% of "
                  "the time at most.",
                  greatest_extrapolation_error(runs)));
  return made;
}

bar_chart gain_chart(std::string title, const benchmark_list& of, const experiment_runs& runs) {
  bar_chart made{.title = std::move(title), .unit = "% less time than random", .groups = of.names, .series = {}};
  for (std::size_t i = 1; i < of.policies.size(); ++i) {
    chart_series& one = made.series.emplace_back();
    one.name = of.policies[i];
    for (const std::string& name : of.names) one.values.push_back(gain_of(runs, name, of.policies[i]));
  }
  return made;
}

result_table miss_table(std::string id, std::string title, const benchmark_list& of, const experiment_runs& runs,
                        std::size_t level, paper_metric metric, std::span<const paper_figure> paper) {
  result_table made{.id = std::move(id), .title = std::move(title)};
  made.columns = {{"benchmark"},    {"policy"},       {"misses 1e6", 2}, {"of random's", 3},
                  {"paper 1e6", 2}, {"of Cilk's", 3}, {"difference", 3}};
  for (const std::string& name : of.names)
    for (const std::string& policy : of.policies) {
      const double ours = ratio_to_random(runs, name, policy, level);
      const auto theirs = paper_ratio(paper, name, policy, metric);
      made.rows.push_back({name, policy, run_of(runs, name, policy).summary.total.misses[level] / million, finite(ours),
                           cell_of(figure_of(paper, name, policy, metric)), cell_of(theirs),
                           theirs ? finite(ours - *theirs) : table_cell()});
    }
  return made;
}

std::string range_verdict(const benchmark_list& of, const experiment_runs& runs, const paper_range& paper) {
  double least = 1e9;
  double most = -1e9;
  for (const std::string& name : of.names) {
    least = std::min(least, gain_of(runs, name, std::string(paper.policy)));
    most = std::max(most, gain_of(runs, name, std::string(paper.policy)));
  }
  constexpr double points = 10;
  const bool within = least >= paper.least_gain - points && most <= paper.most_gain + points;
  return fmt::format("{} gains {:.1f}% to {:.1f}% over random; the paper has {:.1f}% to {:.1f}% ({}): {}", paper.policy,
                     least, most, paper.least_gain, paper.most_gain, paper.source,
                     within ? "within 10 points" : "NOT within 10 points");
}

std::string miss_verdict(const benchmark_list& of, const experiment_runs& runs, std::size_t level, paper_metric metric,
                         std::span<const paper_figure> paper) {
  std::size_t near = 0;
  std::size_t all = 0;
  std::vector<std::string> far;
  for (const std::string& name : of.names)
    for (std::size_t i = 1; i < of.policies.size(); ++i) {
      const auto theirs = paper_ratio(paper, name, of.policies[i], metric);
      const double ours = ratio_to_random(runs, name, of.policies[i], level);
      if (!theirs || !std::isfinite(ours)) continue;
      ++all;
      const double off = ours - *theirs;
      if (std::abs(off) <= 0.15) ++near;
      else far.push_back(fmt::format("{} under {} ({:+.2f})", name, of.policies[i], off));
    }
  if (all == 0) return fmt::format("L{} misses: nothing to compare, as random has none on this machine", level + 1);
  return fmt::format("L{} misses as parts of random's: {} of {} within 0.15 of the paper's{}", level + 1, near, all,
                     far.empty() ? "" : fmt::format("; not so {}", fmt::join(far, ", ")));
}

scaling_result scaling_of(const simulated_machine& where, const scaling_study& study,
                          const std::vector<std::string>& policies, const reproduction_settings& settings,
                          std::span<const paper_scaling> paper) {
  scaling_result made{.table = {.id = study.id, .title = fmt::format("{} by size of the input", study.workload)},
                      .pictures = {}};
  made.table.columns = {{study.field, 0},      {"policy"},     {"ms", 2},       {"less time %"}, {"paper %"},
                        {"fewer L3 misses %"}, {"paper L3 %"}, {"local part %"}};
  line_chart lines{
      .title = study.workload + ", simulated", .x_title = study.field, .unit = "ms", .x = {}, .series = {}};
  for (const std::string& policy : policies) lines.series.push_back({policy, {}});
  for (const std::uint64_t slabs : study.slabs) {
    const experiment at_size{.workload = study.workload,
                             .size = fmt::format("{}={}{}", study.field, slabs, study.other_fields),
                             .steady_iterations = study.steady_iterations};
    const auto runs = run_experiments(where, {at_size}, policies, settings);
    lines.x.push_back(static_cast<double>(slabs));
    for (std::size_t i = 0; i < policies.size(); ++i) {
      const simulated_sums& total = run_of(runs, study.workload, policies[i]).summary.total;
      const auto said = std::ranges::find_if(paper, [&](const paper_scaling& one) {
        return one.benchmark == study.workload && one.policy == policies[i] && one.slabs == static_cast<double>(slabs);
      });
      const double from_memory = total.local + total.remote;
      made.table.rows.push_back({static_cast<double>(slabs), policies[i], total.time_ns / ms,
                                 gain_of(runs, study.workload, policies[i]),
                                 said == paper.end() ? table_cell() : table_cell(said->less_time),
                                 finite(100 * (1 - ratio_to_random(runs, study.workload, policies[i], 2))),
                                 said == paper.end() ? table_cell() : cell_of(said->less_l3_misses),
                                 from_memory == 0 ? table_cell() : table_cell(100 * total.local / from_memory)});
      lines.series[i].values.push_back(total.time_ns / ms);
    }
  }
  for (const paper_scaling& one : paper)
    if (one.benchmark == study.workload) {
      made.table.notes.push_back(fmt::format("The paper's figures: {}.", one.source));
      break;
    }
  made.pictures.push_back({study.id + ".svg", svg_of(lines)});
  return made;
}

result_table overhead_table(std::string id, std::string title, const simulated_machine& where,
                            const std::vector<std::string>& policies, const reproduction_settings& settings) {
  const bool quick = settings.extent == reproduction_extent::quick;
  constexpr std::uint64_t calls = 20;
  const std::vector<experiment> what{{"mandelbrot", quick ? "small" : "default", calls, 0},
                                     {"nqueens", quick ? "small" : "default", calls, 0},
                                     {"fft", quick ? "log2_points=14" : "log2_points=18", calls, 0},
                                     {"fib", quick ? "n=18" : "n=24", calls, 0}};
  const auto runs = run_experiments(where, what, policies, settings);
  result_table made{.id = std::move(id), .title = std::move(title)};
  made.columns = {{"program"},           {"policy"},
                  {"first call ms", 2},  {"over random %"},
                  {"later calls ms", 2}, {"over random %, later"}};
  for (const experiment& one : what)
    for (const std::string& policy : policies) {
      const experiment_run& base = run_of(runs, one.workload, "random");
      const experiment_run& run = run_of(runs, one.workload, policy);
      const double later = run.summary.per_iteration.time_ns;
      made.rows.push_back({one.workload, policy, run.iteration_ns.front() / ms,
                           100 * (run.iteration_ns.front() / base.iteration_ns.front() - 1), later / ms,
                           100 * (later / base.summary.per_iteration.time_ns - 1)});
    }
  made.notes.push_back(fmt::format(
      "{} calls; the first is profiled where a policy asks for it, and under laws keeps to the domains that "
      "its rule names.",
      calls));
  return made;
}

}  // namespace nearfork::tools

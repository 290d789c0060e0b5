#include <fmt/format.h>

#include <algorithm>

#include "tools/reproduce/paper_comparison.hpp"

namespace nearfork::tools {
namespace {

const std::vector<std::string> acab_policies{"random", "acab"};

/// Section 4.1: 1024 x 512, for ge 1024 x 1024.
std::vector<experiment> programs(std::uint64_t iterations) {
  std::vector<experiment> made;
  for (const char* const name : {"heat", "heat-ir", "sor", "sor-ir", "ge", "ge-ir"}) {
    made.push_back({.workload = name, .size = fmt::format("a-cab,iterations={}", iterations)});
  }
  return made;
}

std::vector<std::string> names_of(const std::vector<experiment>& what) {
  std::vector<std::string> names;
  for (const experiment& one : what) names.push_back(one.workload);
  return names;
}

}  // namespace

reproduction reproduce_acab(const simulated_machine& where, const reproduction_settings& settings) {
  const auto iterative = programs(settings.extent == reproduction_extent::full ? 200 : 20);
  const auto single = programs(1);
  const benchmark_list of{names_of(iterative), acab_policies};
  // Small enough to simulate in full.
  const auto runs = run_experiments(where, iterative, acab_policies, settings);
  const auto single_runs = run_experiments(where, single, acab_policies, settings);
  auto filled = single;
  for (experiment& one : filled) one.setup = sim::setup_kind::parallel;
  const auto filled_runs = run_experiments(where, filled, acab_policies, settings);
  // MIT Cilk's workers never sleep.
  simulated_machine awake = where;
  awake.model.costs.spin_ps = sim::never;
  const auto awake_runs = run_experiments(awake, iterative, acab_policies, settings);

  reproduction made{.paper = "A-CAB (TPDS 2013)",
                    .conditions = conditions_of(where, settings, iterative),
                    .tables = {},
                    .verdicts = {},
                    .pictures = {}};
  made.conditions.emplace_back(
      "-ir: A-CAB's unbalanced programs, \"-ub\" there, whose trees its supplement shows; ours are LAWS's");
  made.tables.push_back(gain_table("acab-iterative", "A-CAB, Fig. 7: iterative programs", of, runs));
  made.tables.push_back(
      gain_table("acab-never-parking", "A-CAB, Fig. 7 again, with workers that never park", of, awake_runs));
  made.tables.push_back(gain_table(
      "acab-single", "A-CAB, Fig. 9: a single iteration, planned from the size of the input alone", of, single_runs));
  made.tables.push_back(gain_table("acab-single-filled",
                                   "A-CAB, Fig. 9 again, where one parallel phase has written all data before", of,
                                   filled_runs));
  for (std::size_t level = 0; level < 3; ++level)
    made.tables.push_back(miss_table(fmt::format("acab-l{}-misses", level + 1),
                                     fmt::format("A-CAB, Table 2: L{} misses", level + 1), of, runs, level,
                                     static_cast<paper_metric>(level), acab_figures()));
  made.verdicts.push_back(range_verdict(of, runs, acab_iterative_range()));
  made.verdicts.push_back(
      fmt::format("workers that never park: {}", range_verdict(of, awake_runs, acab_iterative_range())));
  made.verdicts.push_back(
      fmt::format("single iteration: {}", range_verdict(of, single_runs, acab_single_iteration_range())));
  made.verdicts.push_back(fmt::format("single iteration after one parallel phase: {}",
                                      range_verdict(of, filled_runs, acab_single_iteration_range())));
  for (std::size_t level = 0; level < 3; ++level)
    made.verdicts.push_back(miss_verdict(of, runs, level, static_cast<paper_metric>(level), acab_figures()));
  made.pictures.push_back({"acab-gain.svg", svg_of(gain_chart("A-CAB, Fig. 7, simulated", of, runs))});
  made.pictures.push_back({"acab-gain-single.svg", svg_of(gain_chart("A-CAB, Fig. 9, simulated", of, single_runs))});

  const bool full = settings.extent == reproduction_extent::full;
  for (const char* const workload : {"heat", "sor"}) {
    auto scaling = scaling_of(
        where,
        {fmt::format("acab-scaling-{}", workload), workload, "rows", ",columns=512,iterations=200",
         full ? std::vector<std::uint64_t>{1024, 2048, 3072, 4096, 6144, 8192} : std::vector<std::uint64_t>{512, 1024},
         full ? std::size_t{40} : std::size_t{5}},
        acab_policies, settings, acab_scaling());
    made.tables.push_back(std::move(scaling.table));
    std::ranges::move(scaling.pictures, std::back_inserter(made.pictures));
  }
  made.tables.push_back(overhead_table("acab-overhead",
                                       "A-CAB, section 5.4 of its supplement: programs bound by the cores", where,
                                       acab_policies, settings));
  return made;
}

}  // namespace nearfork::tools

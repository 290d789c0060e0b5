#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/machine/scaled_model.hpp"
#include "sim/memory/pages/page_map.hpp"
#include "tools/reproduce/paper_comparison.hpp"

namespace nearfork::tools {
namespace {

/// 16 GiB are 2.7e8 lines: one stands for so many, in caches, pages and nodes, too. Graph programs read single values,
/// so no line can stand for others: they have so many times fewer nodes, and the machine's nodes so much less memory.
constexpr std::uint32_t scale_in_full = 16;
/// The quick inputs are so much smaller than the paper's, and nodes have so much less memory, too.
constexpr std::uint32_t quick_part = 128;

const std::vector<std::string> bats_programs{"sor",       "heat", "conv", "9p", "ge", "pagerank", "label-propagation",
                                             "components"};
const std::vector<std::string> bats_variants{"bats", "bats-nh", "bats-nb", "bats-nl", "bats-h", "bats-b", "bats-l"};

bool is_graph_program(std::string_view workload) {
  return workload == "pagerank" || workload == "label-propagation" || workload == "components";
}

/// How many times smaller the input is than the paper's.
std::uint32_t part_of_input(std::string_view workload, reproduction_extent extent) {
  if (extent == reproduction_extent::quick) return quick_part;
  return is_graph_program(workload) ? scale_in_full : 1;
}

/// The paper's section 9.1: 16 GB in two buffers of 224K x 4K, and graphs of as many bytes.
std::string size_of(std::string_view workload, reproduction_extent extent, double part = 1) {
  const bool full = extent == reproduction_extent::full;
  const std::uint64_t iterations = full ? 200 : 100;
  const auto scaled = [&](double all) {
    return static_cast<std::uint64_t>(std::llround(all * part / part_of_input(workload, extent)));
  };
  if (workload == "ge") {
    const auto size = static_cast<std::uint64_t>(std::llround((full ? 36'000 : 512) * std::sqrt(part)));
    return fmt::format("size={},iterations={}", size, std::min<std::uint64_t>(size - 1, full ? 200 : 60));
  }
  if (workload == "pagerank") return fmt::format("nodes={},node_bytes=1024,iterations={}", scaled(16e6), iterations);
  if (is_graph_program(workload)) return fmt::format("nodes={},node_bytes=2048,iterations={}", scaled(8e6), iterations);
  // Fewer columns in quick runs, so that the tree has as many subgraphs for each domain.
  return fmt::format("rows={},columns={},iterations={}", full ? scaled(229'376) : scaled(229'376.0 * 8),
                     full ? 4096 : 512, iterations);
}

std::vector<experiment> programs(const std::vector<std::string>& names, reproduction_extent extent, double part = 1) {
  std::vector<experiment> made;
  for (const std::string& name : names)
    made.push_back({.workload = name,
                    .size = size_of(name, extent, part),
                    .steady_iterations = 5,
                    .setup = sim::setup_kind::parallel});
  return made;
}

/// The machine with what is scaled for the program.
simulated_machine machine_for(std::string_view workload, const simulated_machine& where, reproduction_extent extent) {
  simulated_machine made = where;
  const std::uint32_t part = part_of_input(workload, extent);
  if (part == 1) {
    made.model = sim::scaled(*where.what, where.model, scale_in_full);
    return made;
  }
  made.model.node_bytes.clear();
  for (const memory_node& one : where.what->nodes()) made.model.node_bytes.push_back(one.capacity_bytes / part);
  return made;
}

/// run_experiments() for each program on its machine.
experiment_runs run_programs(const simulated_machine& where, const std::vector<experiment>& what,
                             const std::vector<std::string>& policies, const reproduction_settings& settings) {
  experiment_runs all;
  for (const bool graphs : {false, true}) {
    std::vector<experiment> some;
    for (const experiment& one : what)
      if (is_graph_program(one.workload) == graphs) some.push_back(one);
    if (some.empty()) continue;
    const simulated_machine there = machine_for(some.front().workload, where, settings.extent);
    for (experiment_run& one : run_experiments(there, some, policies, settings)) all.push_back(std::move(one));
  }
  return all;
}

/// Whether programs can choose between HBM and other memory.
bool has_hbm_beside(const machine& where) {
  const auto in_hbm = std::ranges::count(where.nodes(), memory_kind::hbm, &memory_node::kind);
  return in_hbm > 0 && in_hbm < std::ssize(where.nodes());
}

void add_renamed(experiment_runs& to, experiment_runs made, std::string_view suffix) {
  for (experiment_run& one : made) {
    one.policy += suffix;
    to.push_back(std::move(one));
  }
}

/// The paper's "-H". What does not fit into HBM has no run there.
void add_in_hbm(experiment_runs& to, const simulated_machine& where, std::vector<experiment> what,
                const reproduction_settings& settings) {
  if (!has_hbm_beside(*where.what)) return;
  for (experiment& one : what) {
    one.pages = "hbm-only";
    try {
      add_renamed(to, run_programs(where, {one}, {"random", "laws"}, settings), "@hbm");
    } catch (const sim::memory_full&) {
      continue;
    }
  }
}

double time_of(const experiment_run& run) {
  return run.summary.per_iteration.time_ns;
}

/// How much less time than that contender, in percent, once steady.
table_cell saved_against(const experiment_runs& runs, const std::string& benchmark, const std::string& contender,
                         const std::string& policy = "bats") {
  const experiment_run* const base = find_run(runs, benchmark, contender);
  const experiment_run* const ours = find_run(runs, benchmark, policy);
  if (base == nullptr || ours == nullptr) return {};
  return 100 * gain_over(time_of(*base), time_of(*ours));
}

struct contender {
  const char* name;
  double least_saved;  // by the paper
  double most_saved;
};
/// Section 9.2.
constexpr contender contenders[] = {{"random", 29.3, 83.5}, {"random@cache", 27.8, 78.0}, {"random@hbm", 20.3, 57.9},
                                    {"laws", 25.5, 80.1},   {"laws@cache", 22.4, 57.7},   {"laws@hbm", 8.6, 27.2}};

result_table gain_table_of(const experiment_runs& runs, const std::vector<std::string>& names) {
  result_table made{.id = "bats-gain", .title = "BATS, section 9.2: time that bats saves against others, in percent"};
  made.columns = {{"benchmark"}, {"random ms", 2}, {"bats ms", 2}};
  for (const contender& one : contenders) made.columns.push_back({one.name, 1});
  for (const std::string& name : names) {
    std::vector<table_cell> row{name, time_of(run_of(runs, name, "random")) / 1e6,
                                time_of(run_of(runs, name, "bats")) / 1e6};
    for (const contender& one : contenders) row.push_back(saved_against(runs, name, one.name));
    made.rows.push_back(std::move(row));
  }
  made.notes.emplace_back(
      "Of a steady iteration. @cache: HBM as a cache of DRAM, all-to-all; @hbm: all data in HBM; no number: they do "
      "not "
      "fit.");
  return made;
}

std::string gain_verdict(const experiment_runs& runs, const std::vector<std::string>& names, const contender& against) {
  double least = 100;
  double most = -1000;
  for (const std::string& name : names) {
    const table_cell cell = saved_against(runs, name, against.name);
    if (const double* const saved = std::get_if<double>(&cell)) {
      least = std::min(least, *saved);
      most = std::max(most, *saved);
    }
  }
  if (most < least) return fmt::format("bats against {}: no run", against.name);
  return fmt::format("bats against {}: {:.1f} to {:.1f}% less time; the paper has {} to {}%", against.name, least, most,
                     against.least_saved, against.most_saved);
}

result_table variants_table(const experiment_runs& runs, const std::vector<std::string>& names) {
  result_table made{.id = "bats-variants",
                    .title = "BATS, section 9.4: what its parts do; times relative to bats, below 1 is faster"};
  made.columns = {{"benchmark"}, {"bats ms", 2}};
  for (std::size_t i = 1; i < bats_variants.size(); ++i) made.columns.push_back({bats_variants[i], 3});
  for (const std::string& name : names) {
    const double whole = time_of(run_of(runs, name, "bats"));
    std::vector<table_cell> row{name, whole / 1e6};
    for (std::size_t i = 1; i < bats_variants.size(); ++i)
      row.emplace_back(time_of(run_of(runs, name, bats_variants[i])) / whole);
    made.rows.push_back(std::move(row));
  }
  return made;
}

/// Bytes that HBM sent and took in the last iteration, for each byte of DRAM. NaN: none of DRAM.
double hbm_over_dram(const machine& where, const experiment_run& run) {
  double hbm = 0;
  double dram = 0;
  for (std::size_t node = 0; node < run.last_traffic_of_node.size(); ++node)
    (where.nodes()[node].kind == memory_kind::hbm ? hbm : dram) += static_cast<double>(run.last_traffic_of_node[node]);
  return hbm / dram;
}

double local_part(const experiment_run& run) {
  const simulated_sums& mean = run.summary.per_iteration;
  return 100 * mean.local / std::max(1.0, mean.local + mean.remote);
}

result_table traffic_table(const machine& where, const experiment_runs& runs, const std::vector<std::string>& names) {
  result_table made{.id = "bats-traffic", .title = "BATS, section 9.3: where lines come from"};
  made.columns = {{"benchmark"},       {"random local %", 1}, {"bats local %", 1}, {"bats HBM : DRAM", 2},
                  {"chunks moved", 0}, {"of chunks", 0},      {"subgraphs", 0},    {"of them weak", 0}};
  for (const std::string& name : names) {
    const experiment_run& ours = run_of(runs, name, "bats");
    const double ratio = hbm_over_dram(where, ours);
    const traffic_summary& why = ours.why.traffic;
    made.rows.push_back({name, local_part(run_of(runs, name, "random")), local_part(ours),
                         std::isfinite(ratio) ? table_cell(ratio) : table_cell(), static_cast<double>(why.moves),
                         static_cast<double>(why.chunks), static_cast<double>(why.high + why.weak),
                         static_cast<double>(why.weak)});
  }
  return made;
}

std::string traffic_verdict(const machine& where, const experiment_runs& runs) {
  const experiment_run& heat = run_of(runs, "heat", "bats");
  return fmt::format(
      "heat: {:.0f}% of its lines are local under bats (the paper: more than 90), {:.0f}% remote under random (more "
      "than "
      "70); HBM : DRAM is {:.2f} (about 4)",
      local_part(heat), 100 - local_part(run_of(runs, "heat", "random")), hbm_over_dram(where, heat));
}

/// The six modes of the paper's machine. Others have one.
std::vector<std::string> modes_of(const simulated_machine& where) {
  if (where.name != "xeon-phi-7210") return {};
  return {"xeon-phi-7210-all2all-cache", "xeon-phi-7210-all2all-flat", "xeon-phi-7210-quadrant-cache",
          "xeon-phi-7210-quadrant-flat", "xeon-phi-7210-snc4-cache",   "xeon-phi-7210"};
}

result_table modes_table(const simulated_machine& where, const std::vector<std::string>& names,
                         const reproduction_settings& settings) {
  result_table made{.id = "bats-modes",
                    .title = "BATS, section 9.5: time that bats saves against random in each mode, in percent"};
  made.columns = {{"mode"}};
  for (const std::string& name : names) made.columns.push_back({name, 1});
  for (const std::string& mode : modes_of(where)) {
    const simulated_machine there = machine_to_simulate(mode);
    // A quick run of these has half the input, because there are six machines.
    const double part = settings.extent == reproduction_extent::full ? 1 : 0.5;
    const auto runs = run_programs(there, programs(names, settings.extent, part), {"random", "bats"}, settings);
    std::vector<table_cell> row{mode};
    for (const std::string& name : names) row.push_back(saved_against(runs, name, "random"));
    made.rows.push_back(std::move(row));
  }
  made.notes.emplace_back("The paper saves 20 to 70% in all six.");
  return made;
}

/// Machines of today: HBM or CXL memory beside DRAM, and one with a single kind of memory, where bats has nothing to
/// weigh.
const std::vector<std::string> current_machines{"xeon-max-9480", "epyc-9654-cxl", "grace"};

result_table machines_table(const std::vector<std::string>& names, const reproduction_settings& settings) {
  const std::vector<std::string> policies{"laws", "bats", "auto"};
  result_table made{.id = "bats-machines",
                    .title = "BATS beyond the paper, on machines of today: time saved against random, in percent"};
  made.columns = {{"machine"}, {"benchmark"}, {"random ms", 2}};
  for (const std::string& policy : policies) made.columns.push_back({policy, 1});
  for (const std::string& machine : current_machines) {
    const simulated_machine there = machine_to_simulate(machine);
    const double part = settings.extent == reproduction_extent::full ? 1 : 0.5;  // as for the modes
    std::vector<std::string> all{"random"};
    all.insert(all.end(), policies.begin(), policies.end());
    const auto runs = run_programs(there, programs(names, settings.extent, part), all, settings);
    for (const std::string& name : names) {
      std::vector<table_cell> row{machine, name, time_of(run_of(runs, name, "random")) / 1e6};
      for (const std::string& policy : policies) row.push_back(saved_against(runs, name, "random", policy));
      made.rows.push_back(std::move(row));
    }
  }
  return made;
}

/// Section 9.6: as parts of the inputs of the first table.
result_table scaling_table(const simulated_machine& where, const std::vector<std::string>& names,
                           const reproduction_settings& settings) {
  constexpr double sizes[] = {0.125, 1, 1.5};  // 2, 16 and 24 GB
  result_table made{.id = "bats-scaling", .title = "BATS, section 9.6: time that bats saves, by the input's size"};
  made.columns = {{"benchmark"}, {"GB", 0}, {"random", 1}, {"laws", 1}, {"random@hbm", 1}, {"laws@hbm", 1}};
  for (const std::string& name : names)
    for (const double size : sizes) {
      const auto what = programs({name}, settings.extent, size);
      experiment_runs runs = run_programs(where, what, {"random", "laws", "bats"}, settings);
      add_in_hbm(runs, where, what, settings);
      std::vector<table_cell> row{name, 16 * size};
      for (const char* const against : {"random", "laws", "random@hbm", "laws@hbm"})
        row.push_back(saved_against(runs, name, against));
      made.rows.push_back(std::move(row));
    }
  made.notes.emplace_back("No number: the data do not fit into HBM.");
  if (settings.extent == reproduction_extent::quick)
    made.notes.push_back(
        fmt::format("Quick: 1/{} of these sizes, on nodes with 1/{} of the memory.", quick_part, quick_part));
  return made;
}

bar_chart saved_chart(const experiment_runs& runs, const std::vector<std::string>& names) {
  return gain_chart("BATS, section 9.2, simulated: time saved against random", {names, {"random", "laws", "bats"}},
                    runs);
}

}  // namespace

reproduction reproduce_bats(const simulated_machine& where, const reproduction_settings& settings) {
  const auto what = programs(bats_programs, settings.extent);
  std::vector<std::string> policies{"random", "laws"};
  policies.insert(policies.end(), bats_variants.begin(), bats_variants.end());
  experiment_runs runs = run_programs(where, what, policies, settings);
  add_in_hbm(runs, where, what, settings);
  if (!modes_of(where).empty()) {
    const simulated_machine cached = machine_to_simulate(modes_of(where).front());
    add_renamed(runs, run_programs(cached, what, {"random", "laws"}, settings), "@cache");
  }

  reproduction made{.paper = "BATS",
                    .conditions = conditions_of(where, settings, what),
                    .tables = {},
                    .verdicts = {},
                    .pictures = {}};
  made.conditions.push_back(settings.extent == reproduction_extent::full
                                ? fmt::format("one line stands for {0}, in caches and nodes, too; graph programs "
                                              "have 1/{0} of the paper's nodes, and memory nodes 1/{0} of their memory",
                                              scale_in_full)
                                : fmt::format("nodes have 1/{} of their memory", quick_part));
  made.tables.push_back(gain_table_of(runs, bats_programs));
  made.tables.push_back(variants_table(runs, bats_programs));
  made.tables.push_back(traffic_table(*where.what, runs, bats_programs));
  for (const contender& one : contenders) made.verdicts.push_back(gain_verdict(runs, bats_programs, one));
  made.verdicts.push_back(traffic_verdict(*where.what, runs));
  made.pictures = {{"bats-gain.svg", svg_of(saved_chart(runs, bats_programs))}};
  made.tables.push_back(modes_table(where, {"heat", "pagerank"}, settings));
  if (!modes_of(where).empty()) made.tables.push_back(machines_table({"heat", "pagerank"}, settings));
  made.tables.push_back(scaling_table(where, {"heat", "pagerank"}, settings));
  return made;
}

}  // namespace nearfork::tools

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tools/reproduce/drebes_latency.hpp"
#include "tools/reproduce/drebes_runs.hpp"
#include "tools/reproduce/reproduction.hpp"

namespace nearfork::tools {
namespace {

constexpr double ps_in_ms = 1e9;

double ms_of(const sim::dataflow_report& report) {
  return static_cast<double>(report.duration_ps) / ps_in_ms;
}
double percent(double part, double all) {
  return all == 0 ? std::nan("") : 100 * part / all;
}
table_cell cell_if_finite(double number) {
  return std::isfinite(number) ? table_cell(number) : table_cell();
}

/// Requests to memory that stay on the core's node, as the paper's hardware counters see it.
double local_requests(const sim::dataflow_report& report) {
  return percent(static_cast<double>(report.memory.local),
                 static_cast<double>(report.memory.local + report.memory.remote));
}
/// Bytes of buffers that tasks accessed on their own node, as the paper's runtime sees it.
double local_buffers(const sim::dataflow_report& report) {
  return percent(static_cast<double>(report.read.local + report.written.local),
                 static_cast<double>(report.read.all() + report.written.all()));
}

/// What the paper says of one machine (sections 5.1 to 5.3). Its figures give no numbers for single programs.
struct paper_of_machine {
  std::string_view machine;
  double over_dsa_base;  // the best gain of dsa-opt
  double over_shm_base;
  double local_bytes;  // the best share of managed data, in percent; 0: not said
};
constexpr paper_of_machine claims[] = {{"opteron-6282", 2.5, 3.1, 0}, {"sgi-uv2000", 5.0, 5.6, 99.8}};

const paper_of_machine* paper_on(std::string_view machine) {
  const auto found = std::ranges::find(claims, machine, &paper_of_machine::machine);
  return found == std::end(claims) ? nullptr : found;
}

/// Section 5.1: what local requests are above with dsa-opt on the Opteron, in percent.
std::optional<double> paper_local_requests(std::string_view machine, std::string_view benchmark) {
  if (machine != claims[0].machine) return std::nullopt;
  if (benchmark == "bitonic") return 81;
  if (benchmark == "blur-roberts" || benchmark == "cholesky") return std::nullopt;
  return 88;
}

/// Section 6.3.
std::string_view paper_balancing(std::string_view machine, std::string_view benchmark) {
  if (machine != claims[0].machine || benchmark == "cholesky") return "";
  constexpr std::string_view losers[] = {"jacobi-1d", "jacobi-2d", "seidel-1d", "bitonic"};
  return std::ranges::find(losers, benchmark) == std::end(losers) ? "hardly differs" : "slower";
}

class drebes_tables {
 public:
  drebes_tables(const flow_runs& runs, std::vector<std::string> machines)
      : runs_(runs), machines_(std::move(machines)) {}

  [[nodiscard]] result_table gains() const {
    result_table made{.id = "drebes-gain", .title = "Drebes et al., Fig. 9 and 10: times as fast as dsa-base"};
    made.columns = {{"machine"}, {"benchmark"}, {"dsa-base ms", 2}};
    for (const flow_configuration& one : flow_configurations())
      if (one.name != "dsa-base") made.columns.push_back({std::string(one.name), 2});
    made.columns.push_back({"dsa-opt over shm-base", 2});
    each_row(made, [&](std::vector<table_cell>& row, const std::string& machine, std::string_view benchmark) {
      row.emplace_back(ms(machine, benchmark, "dsa-base"));
      for (const flow_configuration& one : flow_configurations())
        if (one.name != "dsa-base") row.emplace_back(speedup(machine, benchmark, one.name, "dsa-base"));
      row.emplace_back(speedup(machine, benchmark, "dsa-opt", "shm-base"));
    });
    made.notes.emplace_back(
        "The paper's best: dsa-opt 2.5 times as fast as dsa-base on Opteron-64 and 5.0 times on SGI-192; over shm-base "
        "3.1 and 5.6 times. Its figures give no numbers for single programs.");
    return made;
  }

  [[nodiscard]] result_table locality() const {
    result_table made{
        .id = "drebes-locality",
        .title = "Drebes et al., Fig. 7 and 8: local requests to memory, and local bytes of buffers, in %"};
    made.columns = {{"machine"}, {"benchmark"}};
    const std::vector<std::string_view> shown{"dsa-base", "input", "output", "weighted", "dfa", "dsa-opt"};
    for (const std::string_view one : shown) made.columns.push_back({fmt::format("{} requests", one), 1});
    made.columns.push_back({"paper: above", 0});
    for (const std::string_view one : shown) made.columns.push_back({fmt::format("{} bytes", one), 1});
    each_row(made, [&](std::vector<table_cell>& row, const std::string& machine, std::string_view benchmark) {
      for (const std::string_view one : shown)
        row.push_back(cell_if_finite(local_requests(report_of(runs_, machine, benchmark, one))));
      const auto paper = paper_local_requests(machine, benchmark);
      row.push_back(paper ? table_cell(*paper) : table_cell());
      for (const std::string_view one : shown)
        row.push_back(cell_if_finite(local_buffers(report_of(runs_, machine, benchmark, one))));
    });
    made.notes.emplace_back(
        "Requests are reads of lines that no cache has, those of written lines included. The paper: up to 99.8% of the "
        "bytes that the runtime manages on SGI-192, of bitonic's inputs half.");
    return made;
  }

  [[nodiscard]] result_table balancing() const {
    result_table made{.id = "drebes-balancing",
                      .title = "Drebes et al., Fig. 12: shared arrays, and the kernel's migration of pages"};
    made.columns = {{"machine"},          {"benchmark"}, {"shm-base ms", 2}, {"with migration ms", 2},
                    {"times as fast", 2}, {"paper"},     {"faults", 0},      {"pages moved", 0}};
    each_row(made, [&](std::vector<table_cell>& row, const std::string& machine, std::string_view benchmark) {
      const sim::dataflow_report& moved = report_of(runs_, machine, benchmark, "shm+balancing");
      row.emplace_back(ms(machine, benchmark, "shm-base"));
      row.emplace_back(ms_of(moved));
      row.emplace_back(speedup(machine, benchmark, "shm+balancing", "shm-base"));
      row.emplace_back(std::string(paper_balancing(machine, benchmark)));
      row.emplace_back(static_cast<double>(moved.hint_faults));
      row.emplace_back(static_cast<double>(moved.pages.moved));
    });
    made.notes.emplace_back(
        "Pages of 4 KiB. The simulated arrays are laid out block by block: no page is shared by two blocks, which "
        "favours migration. The paper measured on Opteron-64 alone.");
    return made;
  }

  [[nodiscard]] result_table footprint() const {
    result_table made{.id = "drebes-footprint", .title = "Memory of buffers, and where activated tasks went"};
    made.columns = {
        {"machine"},   {"benchmark"},         {"dsa-base MiB", 0}, {"dsa-opt MiB", 0}, {"tasks", 0},
        {"pushed", 0}, {"of them robbed", 0}, {"mailbox full", 0}, {"stolen", 0},      {"stolen by dsa-base", 0}};
    const auto stolen = [](const sim::dataflow_report& report) {
      double sum = 0;
      for (const std::uint64_t one : report.stolen) sum += static_cast<double>(one);
      return sum;
    };
    each_row(made, [&](std::vector<table_cell>& row, const std::string& machine, std::string_view benchmark) {
      const sim::dataflow_report& base = report_of(runs_, machine, benchmark, "dsa-base");
      const sim::dataflow_report& best = report_of(runs_, machine, benchmark, "dsa-opt");
      constexpr double mib = 1 << 20;
      row.emplace_back(static_cast<double>(base.most_live_bytes) / mib);
      row.emplace_back(static_cast<double>(best.most_live_bytes) / mib);
      for (const std::uint64_t count : {best.tasks, best.pushed, best.robbed, best.mailbox_full})
        row.emplace_back(static_cast<double>(count));
      row.emplace_back(stolen(best));
      row.emplace_back(stolen(base));
    });
    return made;
  }

  /// Whether dsa-opt gains what the paper says, and where another configuration is better.
  [[nodiscard]] std::vector<std::string> verdicts() const {
    std::vector<std::string> made;
    for (const std::string& machine : machines_) {
      const auto best = [&](std::string_view base) {
        std::pair<double, std::string_view> found{0, ""};
        for (const flow_benchmark& one : flow_benchmarks())
          found = std::max(found, {speedup(machine, one.name, "dsa-opt", base), one.name});
        return found;
      };
      const paper_of_machine* const paper = paper_on(machine);
      for (const std::string_view base : {"dsa-base", "shm-base"}) {
        const auto [gain, benchmark] = best(base);
        const double theirs = paper == nullptr ? 0 : base == "dsa-base" ? paper->over_dsa_base : paper->over_shm_base;
        made.push_back(fmt::format("{}: dsa-opt is at best {:.2f} times as fast as {} ({}){}", machine, gain, base,
                                   benchmark, paper == nullptr ? "" : against(gain, theirs)));
      }
      made.push_back(best_verdict(machine));
      made.push_back(input_verdict(machine));
      made.push_back(balancing_verdict(machine));
    }
    return made;
  }

  [[nodiscard]] std::vector<named_picture> pictures() const {
    std::vector<named_picture> made;
    for (const std::string& machine : machines_) {
      bar_chart chart{.title = fmt::format("Drebes et al., Fig. 9, simulated: {}", machine),
                      .unit = "times as fast as dsa-base",
                      .groups = {},
                      .series = {}};
      for (const flow_benchmark& one : flow_benchmarks()) chart.groups.emplace_back(one.name);
      for (const std::string_view how : {"input", "output", "weighted", "dfa", "dsa-opt", "shm-base"}) {
        chart_series& series = chart.series.emplace_back();
        series.name = how;
        for (const flow_benchmark& one : flow_benchmarks())
          series.values.push_back(speedup(machine, one.name, how, "dsa-base"));
      }
      made.push_back({fmt::format("drebes-gain-{}.svg", machine), svg_of(chart)});
    }
    return made;
  }

 private:
  template <class Fill>
  void each_row(result_table& table, Fill&& fill) const {
    for (const std::string& machine : machines_)
      for (const flow_benchmark& one : flow_benchmarks()) {
        std::vector<table_cell> row{machine, std::string(one.name)};
        fill(row, machine, one.name);
        table.rows.push_back(std::move(row));
      }
  }

  [[nodiscard]] double ms(std::string_view machine, std::string_view benchmark, std::string_view how) const {
    return ms_of(report_of(runs_, machine, benchmark, how));
  }
  [[nodiscard]] double speedup(std::string_view machine, std::string_view benchmark, std::string_view how,
                               std::string_view base) const {
    return ms(machine, benchmark, base) / ms(machine, benchmark, how);
  }

  static std::string against(double ours, double theirs) {
    const bool near = ours < 1.5 * theirs && theirs < 1.5 * ours;
    return fmt::format("; the paper: {:.1f}: {}within a factor of 1.5", theirs, near ? "" : "NOT ");
  }

  [[nodiscard]] std::string best_verdict(const std::string& machine) const {
    std::vector<std::string> beaten;
    for (const flow_benchmark& one : flow_benchmarks()) {
      double best = 0;
      std::string_view by;
      for (const flow_configuration& how : flow_configurations())
        if (const double gain = speedup(machine, one.name, how.name, "dsa-opt"); gain > best) {
          best = gain;
          by = how.name;
        }
      if (best > 1.02) beaten.push_back(fmt::format("{} ({}, {:.2f} times as fast)", one.name, by, best));
    }
    if (beaten.empty()) return fmt::format("{}: dsa-opt is the best everywhere, within 2%, as in the paper", machine);
    return fmt::format("{}: dsa-opt is NOT the best for {}; in the paper it is the best everywhere", machine,
                       fmt::join(beaten, ", "));
  }

  [[nodiscard]] std::string input_verdict(const std::string& machine) const {
    double most = 0;
    for (const std::string_view one : {"jacobi-1d", "jacobi-2d", "jacobi-3d"})
      most = std::max(most, speedup(machine, one, "input", "dsa-base"));
    return fmt::format("{}: input alone makes jacobi at most {:.2f} times as fast; in the paper it does not help: {}",
                       machine, most, most < 1.1 ? "holds" : "does NOT hold");
  }

  [[nodiscard]] std::string balancing_verdict(const std::string& machine) const {
    std::vector<std::string> helped;
    for (const flow_benchmark& one : flow_benchmarks())
      if (const double gain = speedup(machine, one.name, "shm+balancing", "shm-base"); gain > 1.02)
        helped.push_back(fmt::format("{} ({:.2f})", one.name, gain));
    if (helped.empty()) return fmt::format("{}: the kernel's migration helps no program, as in the paper", machine);
    return fmt::format("{}: the kernel's migration helps {}; in the paper it helps none: does NOT hold", machine,
                       fmt::join(helped, ", "));
  }

  const flow_runs& runs_;
  std::vector<std::string> machines_;
};

std::vector<std::string> conditions(const std::vector<simulated_machine>& machines,
                                    const reproduction_settings& settings) {
  std::vector<std::string> made;
  for (const simulated_machine& one : machines)
    made.push_back(fmt::format("machine: {} ({}), {} workers; {:.3g} ns per operation; seed {}", one.name,
                               one.what->summary(), one.what->cores().size(), one.speed.ns_per_operation,
                               settings.seed));
  made.emplace_back("one line stands for 16, in caches, too; accesses of a task do not overlap, as in tables 1 and 2");
  made.emplace_back(
      "programs: table 3 of the paper, with its block sizes; blur-roberts has 2^15 x 2^15 elements on both machines; "
      "cholesky has tiles of 256 x 256");
  if (settings.extent == reproduction_extent::quick)
    made.emplace_back("quick: an eighth of the blocks, 12 steps of stencils instead of 60, and one machine");
  made.emplace_back("time: the whole program, with reading the initial and writing the final data");
  return made;
}

}  // namespace

reproduction reproduce_drebes(const simulated_machine& where, const reproduction_settings& settings) {
  std::vector<simulated_machine> machines{where};
  const bool is_papers = where.name == claims[0].machine;
  if (is_papers && settings.extent == reproduction_extent::full)
    machines.push_back(machine_to_simulate(std::string(claims[1].machine)));
  flow_runs runs;
  std::vector<std::string> names;
  const double part = 1.0 / static_cast<double>(machines.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const auto blocks = machines[i].name == claims[1].machine ? drebes_machine::sgi : drebes_machine::opteron;
    names.push_back(machines[i].name);
    std::ranges::move(
        run_flow_benchmarks(scaled_machine(machines[i]), blocks, settings, static_cast<double>(i) * part, part),
        std::back_inserter(runs));
  }
  const drebes_tables tables(runs, names);
  reproduction made{.paper = "Drebes et al.",
                    .conditions = conditions(machines, settings),
                    .tables = {tables.gains(), tables.locality(), tables.balancing(), tables.footprint()},
                    .verdicts = tables.verdicts(),
                    .pictures = tables.pictures()};
  if (is_papers) {
    made.tables.push_back(latency_table());
    made.verdicts.push_back(latency_verdict(made.tables.back()));
  }
  return made;
}

}  // namespace nearfork::tools

#include "tools/reproduce/drebes_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/output/svg_chart.hpp"

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

std::string against(double ours, double theirs) {
  const bool near = ours < 1.5 * theirs && theirs < 1.5 * ours;
  return fmt::format("; the paper: {:.1f}: {}within a factor of 1.5", theirs, near ? "" : "NOT ");
}

bool is_jacobi(const std::string& benchmark) {
  return benchmark.starts_with("jacobi");
}

void add_once(std::vector<std::string>& to, const std::string& what) {
  if (std::ranges::find(to, what) == to.end()) to.push_back(what);
}

}  // namespace

drebes_tables::drebes_tables(const flow_runs& runs) : runs_(runs) {
  for (const flow_run& one : runs) {
    add_once(machines_, one.machine);
    add_once(benchmarks_, one.benchmark);
  }
}

template <class Fill>
void drebes_tables::each_row(result_table& table, Fill&& fill) const {
  for (const std::string& machine : machines_)
    for (const std::string& one : benchmarks_) {
      std::vector<table_cell> row{machine, one};
      fill(row, machine, one);
      table.rows.push_back(std::move(row));
    }
}

double drebes_tables::ms(std::string_view machine, std::string_view benchmark, std::string_view how) const {
  return ms_of(report_of(runs_, machine, benchmark, how));
}
double drebes_tables::speedup(std::string_view machine, std::string_view benchmark, std::string_view how,
                              std::string_view base) const {
  return ms(machine, benchmark, base) / ms(machine, benchmark, how);
}

std::string drebes_tables::best_verdict(const std::string& machine) const {
  std::vector<std::string> beaten;
  for (const std::string& one : benchmarks_) {
    double best = 0;
    std::string_view by;
    for (const flow_configuration& how : flow_configurations())
      if (const double gain = speedup(machine, one, how.name, "dsa-opt"); gain > best) {
        best = gain;
        by = how.name;
      }
    if (best > 1.02) beaten.push_back(fmt::format("{} ({}, {:.2f} times as fast)", one, by, best));
  }
  if (beaten.empty()) return fmt::format("{}: dsa-opt is the best everywhere, within 2%, as in the paper", machine);
  return fmt::format("{}: dsa-opt is NOT the best for {}; in the paper it is the best everywhere", machine,
                     fmt::join(beaten, ", "));
}

std::string drebes_tables::input_verdict(const std::string& machine) const {
  double most = 0;
  for (const std::string& one : benchmarks_)
    if (is_jacobi(one)) most = std::max(most, speedup(machine, one, "input", "dsa-base"));
  return fmt::format("{}: input alone makes jacobi at most {:.2f} times as fast; in the paper it does not help: {}",
                     machine, most, most < 1.1 ? "holds" : "does NOT hold");
}

std::string drebes_tables::balancing_verdict(const std::string& machine) const {
  std::vector<std::string> helped;
  for (const std::string& one : benchmarks_)
    if (const double gain = speedup(machine, one, "shm+balancing", "shm-base"); gain > 1.02)
      helped.push_back(fmt::format("{} ({:.2f})", one, gain));
  if (helped.empty()) return fmt::format("{}: the kernel's migration helps no program, as in the paper", machine);
  return fmt::format("{}: the kernel's migration helps {}; in the paper it helps none: does NOT hold", machine,
                     fmt::join(helped, ", "));
}

result_table drebes_tables::gains() const {
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

result_table drebes_tables::locality() const {
  result_table made{.id = "drebes-locality",
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

result_table drebes_tables::balancing() const {
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

result_table drebes_tables::footprint() const {
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

std::vector<std::string> drebes_tables::verdicts() const {
  std::vector<std::string> made;
  for (const std::string& machine : machines_) {
    const auto best = [&](std::string_view base) {
      std::pair<double, std::string> found{0, ""};
      for (const std::string& one : benchmarks_)
        found = std::max(found, std::pair(speedup(machine, one, "dsa-opt", base), one));
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
    if (std::ranges::any_of(benchmarks_, is_jacobi)) made.push_back(input_verdict(machine));
    made.push_back(balancing_verdict(machine));
  }
  return made;
}

std::vector<named_picture> drebes_tables::pictures() const {
  std::vector<named_picture> made;
  for (const std::string& machine : machines_) {
    bar_chart chart{.title = fmt::format("Drebes et al., Fig. 9, simulated: {}", machine),
                    .unit = "times as fast as dsa-base",
                    .groups = {},
                    .series = {}};
    for (const std::string& one : benchmarks_) chart.groups.push_back(one);
    for (const std::string_view how : {"input", "output", "weighted", "dfa", "dsa-opt", "shm-base"}) {
      chart_series& series = chart.series.emplace_back();
      series.name = how;
      for (const std::string& one : benchmarks_) series.values.push_back(speedup(machine, one, how, "dsa-base"));
    }
    made.push_back({fmt::format("drebes-gain-{}.svg", machine), svg_of(chart)});
  }
  return made;
}

}  // namespace nearfork::tools

#include "bench/compare/styles/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/bench/statistics.hpp"
#include "tools/output/result_table.hpp"

namespace bench {
namespace {

/// The serial program of the same family, build and flags; else the last of the family, which has the most flags.
const style_times* serial_of(const std::vector<style_times>& all, const style& one) {
  const style_times* last = nullptr;
  for (const style_times& other : all) {
    const style& whose = other.whose;
    if (!whose.is_serial() || whose.family != one.family || !other.failure.empty()) continue;
    last = &other;
    if (whose.build == one.build && whose.flags == one.flags) return last;
  }
  return last;
}

std::vector<double> least_by_start(const style_times& one) {
  std::vector<double> least;
  for (const auto& runs : one.seconds)
    if (!runs.empty()) least.push_back(std::ranges::min(runs));
  return least;
}

style_row row_of_style(const std::vector<style_times>& all, const style_times& one) {
  style_row row{.of = one, .seconds = seconds_of(one), .to_serial = {}, .fork_nanoseconds = {}};
  const style_times* const serial = serial_of(all, one.whose);
  if (serial == nullptr || one.whose.is_serial() || !one.failure.empty()) return row;
  const double calls = seconds_of(*serial).median;
  row.to_serial = {row.seconds.median / calls, row.seconds.worst / calls};
  row.fork_nanoseconds = {(row.seconds.median - calls) / serial->forks * 1e9,
                          (row.seconds.worst - calls) / serial->forks * 1e9};
  return row;
}

using nearfork::tools::result_table;
using nearfork::tools::table_cell;

std::vector<table_cell> cells_of(const style_row& row) {
  const style& whose = row.of.whose;
  const auto part = [](const std::optional<style_cost>& cost, double style_cost::* which) {
    return cost ? table_cell((*cost).*which) : table_cell();
  };
  std::vector<table_cell> cells{whose.is_serial() ? "serial, " + whose.family : whose.name, whose.flags, whose.build};
  if (row.of.failure.empty()) cells.insert(cells.end(), {row.seconds.median * 1e3, row.seconds.worst * 1e3});
  else cells.insert(cells.end(), {row.of.failure, table_cell()});
  for (const auto& cost : {row.to_serial, row.fork_nanoseconds})
    cells.insert(cells.end(), {part(cost, &style_cost::median), part(cost, &style_cost::worst)});
  return cells;
}

nlohmann::json data_of(const style_cost& cost) {
  return {{"median", cost.median}, {"worst", cost.worst}};
}

result_table table_of_styles(const std::vector<style_row>& rows) {
  result_table table{.id = "styles",
                     .title = "What a fork costs",
                     .columns = {{"style"},
                                 {"flags"},
                                 {"build"},
                                 {"median ms"},
                                 {"worst ms"},
                                 {"x serial", 2},
                                 {"worst x", 2},
                                 {"ns/fork", 2},
                                 {"worst ns", 2}}};
  for (const style_row& row : rows) table.rows.push_back(cells_of(row));
  return table;
}

/// Below that of all others for a program that has no ratio.
double worst_ratio(const style_row& row) {
  return row.to_serial ? row.to_serial->worst : -1;
}

std::string line_of_dearest(std::string_view among, const style_row& row) {
  return fmt::format("- The dearest {}: `{}` ({}, {}), {:.2f} times the serial program's time, {:.2f} ns a fork\n",
                     among, row.of.whose.name, row.of.whose.flags, row.of.whose.build, row.to_serial->worst,
                     row.fork_nanoseconds->worst);
}

/// The dearest of all styles, and the dearest in which `fork_join` forks.
std::string dearest_lines(const std::vector<style_row>& dearest_first) {
  const auto find = [&](const auto& takes_part) {
    return std::ranges::find_if(dearest_first,
                                [&](const style_row& row) { return row.to_serial && takes_part(row.of.whose.name); });
  };
  const auto ours = find([](const std::string& name) { return name != "lace"; });
  const auto forks = find([](const std::string& name) { return name != "lace" && !name.starts_with("task_group"); });
  std::string text;
  if (ours != dearest_first.end()) text += line_of_dearest("style", *ours);
  if (forks != dearest_first.end()) text += line_of_dearest("with `fork_join`", *forks);
  return text;
}

}  // namespace

style_cost seconds_of(const style_times& one) {
  const std::vector<double> least = least_by_start(one);
  if (least.empty()) return {};
  return {nearfork::tools::median(least), std::ranges::max(least)};
}

std::vector<style_row> style_rows(const std::vector<style_times>& all) {
  std::vector<style_row> rows;
  for (const style_times& one : all) rows.push_back(row_of_style(all, one));
  return rows;
}

std::string text_of_styles(const std::vector<style_row>& rows) {
  return text_of(table_of_styles(rows));
}

std::string page_of_styles(const std::vector<style_row>& rows, const circumstances& around,
                           const std::string& programs) {
  std::vector<style_row> sorted = rows;
  std::ranges::stable_sort(sorted, std::ranges::greater{}, worst_ratio);
  return fmt::format(
      "# Styles\n\n`scripts/bench_styles.sh --markdown docs/STYLES.md` writes this page after one run. No figure is "
      "written by hand.\n\n{}- Programs: {}\n{}"
      "Each style is a program of its own (`bench/styles`), built at four starts within a cache line. Each start "
      "counts\n"
      "with its least time. The table shows the median and the worst of the four. \"serial\" is the program of the "
      "same\n"
      "family, compiler and flags that makes the same calls and forks nothing. \"lace\" is Lace's own fib, as its "
      "build\n"
      "makes it; it has one start.\n\n{}",
      dearest_lines(sorted), programs, list_of(around), markdown_of(table_of_styles(sorted)));
}

nlohmann::json data_of_styles(const std::vector<style_row>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const style_row& row : rows) {
    const style& whose = row.of.whose;
    nlohmann::json line = {{"style", whose.name},
                           {"family", whose.family},
                           {"build", whose.build},
                           {"flags", whose.flags},
                           {"forks", row.of.forks},
                           {"seconds_by_start", row.of.seconds},
                           {"seconds", data_of(row.seconds)},
                           {"right", row.of.failure.empty()}};
    if (!row.of.failure.empty()) line["failure"] = row.of.failure;
    if (row.to_serial) line["time_to_serial"] = data_of(*row.to_serial);
    if (row.fork_nanoseconds) line["nanoseconds_per_fork"] = data_of(*row.fork_nanoseconds);
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace bench

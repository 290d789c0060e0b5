#include "bench/compare/styles/times.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

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
  nearfork::tools::result_table table{.id = "styles",
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
  return text_of(table);
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

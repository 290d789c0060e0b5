#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tools/report/inputs/json_views.hpp"
#include "tools/report/number_words.hpp"

namespace nearfork::tools {
namespace {

constexpr const char* not_touched = "not touched";

std::vector<double> as_numbers(const std::vector<std::uint64_t>& of) {
  return {of.begin(), of.end()};
}

/// Pages of the block by node, and those on no node, from those that were asked for.
std::vector<double> estimated_pages(const json_fields& block, const char* member, std::size_t nodes) {
  const std::uint64_t pages = block.whole("pages");
  const std::uint64_t asked = block.whole("asked");
  std::vector<std::uint64_t> counts = block.wholes(member, nodes);
  const std::uint64_t placed = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (asked > pages) block.refuse_member("asked", fmt::format("expected at most the {} pages, found {}", pages, asked));
  if (placed > asked)
    block.refuse_member(member, fmt::format("expected at most the {} asked pages in all, found {}", asked, placed));
  counts.push_back(asked - placed);
  std::vector<double> made;
  for (const std::uint64_t one : counts)
    made.push_back(
        asked == 0 ? 0
                   : std::round(static_cast<double>(one) * static_cast<double>(pages) / static_cast<double>(asked)));
  return made;
}

matrix_view empty_map(std::string title, const char* column_is, std::vector<std::string> columns) {
  return {.title = std::move(title),
          .row_is = "block",
          .column_is = column_is,
          .rows = {},
          .columns = std::move(columns),
          .cells = {}};
}

std::vector<std::string> names_of_nodes(const json_fields& places) {
  std::vector<std::string> made;
  for (const std::uint64_t one : places.wholes("nodes")) made.push_back(fmt::format("node {}", one));
  return made;
}

std::vector<std::string> names_of_domains(const json_fields& places) {
  std::vector<std::string> made;
  for (const json_fields& one : places.objects("domains"))
    made.push_back(one.has("node") ? fmt::format("domain {} (node {})", one.whole("domain"), one.whole("node"))
                                   : fmt::format("domain {}", one.whole("domain")));
  return made;
}

bool any_of(const matrix_view& of) {
  return std::ranges::any_of(
      of.cells, [](const auto& row) { return std::ranges::any_of(row, [](double one) { return one > 0; }); });
}

void add_map(report_view& to, const json_fields& places, const std::vector<std::string>& nodes,
             const std::vector<std::string>& domains) {
  const std::vector<json_fields> blocks = places.objects("blocks");
  if (blocks.empty()) return;
  std::vector<std::string> columns = nodes;
  columns.emplace_back(not_touched);
  page_map_view map{.before = empty_map("Pages when first seen, after the first iteration", "node", columns),
                    .after = empty_map("Pages when seen last", "node", columns),
                    .tasks = empty_map("Bytes that tasks in the domain say that they touch", "domain", domains)};
  double pages = 0;
  double asked = 0;
  for (const json_fields& block : blocks) {
    pages += block.number("pages");
    asked += block.number("asked");
    for (auto* const one : {&map.before, &map.after, &map.tasks}) one->rows.push_back(block.text("name"));
    map.before.cells.push_back(estimated_pages(block, "first", nodes.size()));
    map.after.cells.push_back(estimated_pages(block, "last", nodes.size()));
    map.tasks.cells.push_back(as_numbers(block.wholes("hinted_bytes", domains.size())));
  }
  if (!any_of(map.tasks)) map.tasks = {};
  map.from = asked < pages ? fmt::format(
                                 "as the system told of {:.0f} of {:.0f} pages, evenly spaced; each stands for "
                                 "those behind it",
                                 asked, pages)
                           : "as the system told of each page";
  if (nodes.size() == 1) map.from += "; this machine has one memory node";
  if (asked > 0) to.page_maps.push_back(std::move(map));
  if (const std::uint64_t left = places.whole("blocks_left_out"); left > 0)
    to.facts.push_back({"blocks of data that are not shown", fmt::format("{} smaller ones", left)});
}

void add_traffic(report_view& to, const json_fields& places, const std::vector<std::string>& nodes,
                 const std::vector<std::string>& domains) {
  matrix_view traffic{.title = "Bytes that tasks touch, from hints and places of pages, not counted",
                      .row_is = "domain of the task",
                      .column_is = "node of the page",
                      .rows = domains,
                      .columns = nodes,
                      .cells = {}};
  for (const json_fields& one : places.objects("domains"))
    traffic.cells.push_back(as_numbers(one.wholes("hinted_bytes", nodes.size())));
  if (!any_of(traffic)) {
    if (places.whole("looks") > 0)
      to.facts.push_back({"traffic between domains and nodes",
                          "not known: in no recorded iteration did tasks say what they read and write "
                          "(nearfork::reads and writes, NEARFORK_RECORD)"});
    return;
  }
  if (const double bytes = places.number("unplaced_bytes"); bytes > 0)
    traffic.title += fmt::format("; {} more on pages of which no node is known", bytes_words(bytes));
  if (nodes.size() == 1) traffic.title += "; this machine has one memory node";
  to.matrices.push_back(std::move(traffic));
}

}  // namespace

void add_places(report_view& to, const json_fields& places) {
  const std::vector<std::string> nodes = names_of_nodes(places);
  const std::vector<std::string> domains = names_of_domains(places);
  add_map(to, places, nodes, domains);
  add_traffic(to, places, nodes, domains);
  if (std::string note = places.text("note"); !note.empty())
    to.degradations.push_back({.what = "where pages lie is not known",
                               .where = "this process",
                               .why = std::move(note),
                               .remedy = "allow move_pages in the sandbox's seccomp profile (nearfork doctor)"});
}

}  // namespace nearfork::tools

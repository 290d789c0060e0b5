#include "tools/sim/results/page_results.hpp"

#include <fmt/format.h>

#include <optional>

#include "plan/crew/worker_places.hpp"
#include "tools/output/result_table.hpp"
#include "tools/sim/formats.hpp"
#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

std::uint64_t pages_on(const sim::page_counts& pages, std::size_t node) {
  return node < pages.of_node.size() ? pages.of_node[node] : 0;
}

std::uint32_t os_node(const machine& where, std::size_t node) {
  return where.nodes().empty() ? 0 : number_of(where.nodes()[node].os);
}

double moving_ns(const sim::region_run& run) {
  double sum = 0;
  for (const sim::iteration_report& one : run.iterations) sum += static_cast<double>(one.moving_ps) / 1000;
  return sum;
}

}  // namespace

bool strayed(const sim::page_counts& pages) noexcept {
  return pages.fell_back > 0 || pages.moved > 0 || pages.stuck > 0;
}

sim::page_counts last_pages(const sim::region_run& run) {
  return run.iterations.empty() ? sim::page_counts{} : run.iterations.back().pages;
}

std::string pages_text(const simulated_machine& where, const std::vector<const simulation_outcome*>& of) {
  result_table made{.id = "pages",
                    .title = fmt::format("  pages of {} at the end, by memory node; fell back: the node that was "
                                         "wanted was full",
                                         workloads::bytes_text(where.model.page_bytes)),
                    .columns = {{"  policy"}}};
  const std::size_t nodes = sim::node_count(*where.what);
  for (std::size_t i = 0; i < nodes; ++i) made.columns.push_back({fmt::format("node {}", os_node(*where.what, i))});
  for (const char* const name : {"fell back", "moved", "stuck", "moving took"}) made.columns.push_back({name});
  for (const simulation_outcome* const one : of) {
    const sim::page_counts pages = last_pages(one->run);
    auto& row = made.rows.emplace_back();
    row.emplace_back("  " + one->policy);
    for (std::size_t i = 0; i < nodes; ++i) row.emplace_back(std::to_string(pages_on(pages, i)));
    for (const std::uint64_t count : {pages.fell_back, pages.moved, pages.stuck})
      row.emplace_back(std::to_string(count));
    row.emplace_back(time_text(moving_ns(one->run)));
  }
  return text_of(made);
}

namespace {

/// By node: work in the last iteration of the workers that are beside it.
std::vector<double> work_by_node(const machine& where, const sim::region_run& run) {
  std::vector<double> made(sim::node_count(where), 0);
  if (run.iterations.empty()) return made;
  const std::vector<std::uint64_t>& busy_ps = run.iterations.back().busy_ps;
  const auto places = place_workers(where, static_cast<std::uint32_t>(busy_ps.size()));
  for (std::size_t i = 0; i < busy_ps.size(); ++i) {
    const domain& of = where.at(places[i].domain);
    const auto node = !of.nodes.empty() ? std::optional(of.nodes.front()) : of.nearest;
    if (node && index_of_id(*node) < made.size()) made[index_of_id(*node)] += static_cast<double>(busy_ps[i]) / 1000;
  }
  return made;
}

}  // namespace

nlohmann::json pages_json(const simulated_machine& where, const sim::region_run& run) {
  const sim::page_counts pages = last_pages(run);
  const sim::page_counts first = run.iterations.empty() ? sim::page_counts{} : run.iterations.front().pages;
  const std::vector<double> work_ns = work_by_node(*where.what, run);
  auto nodes = nlohmann::json::array();
  for (std::size_t i = 0; i < sim::node_count(*where.what); ++i)
    nodes.push_back({{"node", os_node(*where.what, i)},
                     {"pages", pages_on(pages, i)},
                     {"first_pages", pages_on(first, i)},
                     {"work_ns", work_ns[i]}});
  return {{"page_bytes", where.model.page_bytes},
          {"nodes", nodes},
          {"fell_back", pages.fell_back},
          {"moved", pages.moved},
          {"stuck", pages.stuck},
          {"moving_ns", moving_ns(run)}};
}

}  // namespace nearfork::tools

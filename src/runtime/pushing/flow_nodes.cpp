#include "runtime/pushing/flow_nodes.hpp"

#include <algorithm>

#include "memory/pools/buffer_pools.hpp"
#include "memory/system/node_choice.hpp"

namespace nearfork {
namespace {

/// From a node without workers: no task is ever pushed there.
constexpr std::uint32_t never = 1'000'000;

bool share_package(const machine& where, node_id a, node_id b) {
  return std::ranges::any_of(where.at(a).domains, [&](domain_id one) {
    return std::ranges::any_of(where.at(b).domains,
                               [&](domain_id other) { return where.at(one).package == where.at(other).package; });
  });
}

/// 10, 15 and 20 where the machine does not tell: firmware's own scale.
std::uint32_t cost_between(const machine& where, node_id from, node_id to, std::string& missing) {
  if (const auto known = where.node_distance(from, to); known && *known > 0) return *known;
  if (where.nodes().size() > 1) missing = "the machine does not tell them";
  if (from == to) return 10;
  return share_package(where, from, to) ? 15 : 20;
}

std::vector<std::uint32_t> cost_rows(const machine& where, const std::vector<std::vector<std::uint32_t>>& workers_of,
                                     std::string& missing) {
  const auto nodes = static_cast<std::uint32_t>(where.nodes().size());
  std::vector<std::uint32_t> rows;
  for (std::uint32_t from = 0; from < nodes; ++from)
    for (std::uint32_t to = 0; to < nodes; ++to)
      rows.push_back(workers_of[from].empty() ? never : cost_between(where, node_id{from}, node_id{to}, missing));
  return rows;
}

std::vector<node_id> nodes_of_workers(const machine& where, const worker_layout& layout) {
  const std::vector<node_id> of_domain = nodes_of_domains(where);
  std::vector<node_id> made;
  for (std::uint32_t i = 0; i < layout.workers(); ++i)
    made.push_back(layout.domain_of(i) < of_domain.size() ? of_domain[layout.domain_of(i)] : node_id{0});
  return made;
}

std::vector<std::vector<std::uint32_t>> workers_by_node(const std::vector<node_id>& node_of, std::size_t nodes) {
  std::vector<std::vector<std::uint32_t>> made(nodes);
  for (std::uint32_t i = 0; i < node_of.size(); ++i) made[index_of_id(node_of[i])].push_back(i);
  return made;
}

/// With the system's numbers, as the tracks of workers have them.
std::vector<std::string> counters_by_node(const machine& where) {
  std::vector<std::string> made;
  for (const memory_node& one : where.nodes())
    made.push_back("bytes of dataflow tasks from node " + std::to_string(number_of(one.os)));
  return made;
}

}  // namespace

bool flow_nodes::are_several(const machine& where, const worker_layout& layout) {
  const std::vector<node_id> all = nodes_of_workers(where, layout);
  return where.nodes().size() > 1 && std::ranges::any_of(all, [&](node_id one) { return one != all.front(); });
}

// The enumerations of config.hpp have the same values in the same order.
flow_nodes::flow_nodes(const config& settings, const machine& where, const worker_layout& layout, buffer_pools* memory)
    : rules_{.push = static_cast<push_heuristic>(settings.push),
             .input_weight = settings.push_input_weight,
             .output_weight = settings.push_output_weight,
             .threshold_bytes = settings.push_threshold},
      allocation_(static_cast<buffer_allocation>(settings.alloc)),
      named_(settings.source_of("push") != "default" || settings.source_of("alloc") != "default"),
      node_of_worker_(nodes_of_workers(where, layout)),
      workers_of_(workers_by_node(node_of_worker_, where.nodes().size())),
      costs_(cost_rows(where, workers_of_, distances_missing_)),
      memory_(memory),
      bytes_on_(where.nodes().size()),
      counters_(counters_by_node(where)) {}

std::optional<node_id> flow_nodes::node_at(const void* address) noexcept {
  if (memory_ == nullptr) return std::nullopt;
  const page_place found = memory_->place_of(address);
  if (found.refused != 0) query_refused_.store(found.refused, seam::memory_order_relaxed);
  return found.node;
}

}  // namespace nearfork

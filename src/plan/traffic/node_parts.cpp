#include "plan/traffic/node_parts.hpp"

#include <algorithm>

#include "plan/plans/domain_share.hpp"

namespace nearfork {
namespace {

std::vector<node_id> nodes_in(const machine& where, node_order order) {
  std::vector<node_id> all;
  // Some descriptions do not say how much memory nodes have.
  const bool sizes_known = std::ranges::any_of(where.nodes(), [](const auto& one) { return one.capacity_bytes > 0; });
  const auto add = [&](node_id one) {
    const bool holds_data = !sizes_known || where.at(one).capacity_bytes > 0;
    if (holds_data && std::ranges::find(all, one) == all.end()) all.push_back(one);
  };
  if (order == node_order::domain)
    for (const domain& near : where.domains()) std::ranges::for_each(near.nodes, add);
  const auto beside_domains = static_cast<std::ptrdiff_t>(all.size());
  for (std::uint32_t i = 0; i < where.nodes().size(); ++i) add(node_id{i});
  std::ranges::sort(all.begin() + beside_domains, all.end(), {}, [&](node_id one) { return where.at(one).os; });
  return all;
}

}  // namespace

weighed_nodes weigh_nodes(const machine& where, node_weighing how, node_order order) {
  weighed_nodes made{.nodes = nodes_in(where, order)};
  made.bandwidths_known =
      std::ranges::all_of(made.nodes, [&](node_id one) { return where.at(one).bandwidth_mib_per_s.value_or(0) > 0; });
  for (const node_id one : made.nodes) {
    const bool weighs = how == node_weighing::by_bandwidth && made.bandwidths_known;
    made.weights.push_back(weighs ? static_cast<double>(*where.at(one).bandwidth_mib_per_s) : 1);
  }
  return made;
}

data_parts parts_of(const weighed_nodes& spread) {
  if (spread.nodes.empty()) return {};
  return {.borders = weighted_borders(spread.weights), .nodes = spread.nodes};
}

void tell_parts(const machine& where, const data_parts& parts, traffic_summary& to) {
  std::vector<node_id> nodes;
  std::vector<double> shares;
  const auto add = [&](node_id node, double share) {
    const auto at = static_cast<std::size_t>(std::ranges::find(nodes, node) - nodes.begin());
    if (at == nodes.size()) {
      nodes.push_back(node);
      shares.push_back(0);
    }
    shares[at] += share;
  };
  for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
    const double share = parts.borders[i + 1] - parts.borders[i];
    const auto dealt = std::ranges::find(parts.turns, parts.nodes[i], &node_turns::of);
    if (dealt == parts.turns.end()) add(parts.nodes[i], share);
    else
      for (const node_id one : dealt->turns) add(one, share / static_cast<double>(dealt->turns.size()));
  }
  if (nodes.size() < 2) return;
  to.os_nodes.clear();
  for (const node_id one : nodes) to.os_nodes.push_back(number_of(where.at(one).os));
  to.data_shares = std::move(shares);
}

}  // namespace nearfork

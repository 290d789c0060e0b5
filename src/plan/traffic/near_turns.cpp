#include "plan/traffic/near_turns.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace nearfork {
namespace {

/// HBM answers 1.1 to 1.2 times as late as the DRAM beside it, CXL memory 2 to 5 times (machines/).
constexpr double latest_of_early = 1.5;

std::uint64_t bandwidth_of(const memory_node& one) {
  return one.bandwidth_mib_per_s.value_or(0);
}

/// The domain's own part of the node's bandwidth; 0: not known.
double lent_bandwidth(const memory_node& one) {
  const std::size_t users = std::max<std::size_t>(one.domains.size(), 1);
  return static_cast<double>(bandwidth_of(one)) / static_cast<double>(users);
}

double earliest_of(const machine& where, const domain& near) {
  double least = std::numeric_limits<double>::infinity();
  for (const node_id one : near.nodes)
    if (const auto ns = where.at(one).latency_ns) least = std::min(least, static_cast<double>(*ns));
  return least;
}

bool is_early(const memory_node& one, double earliest_ns) {
  if (one.latency_ns) return static_cast<double>(*one.latency_ns) <= latest_of_early * earliest_ns;
  return one.kind == memory_kind::dram || one.kind == memory_kind::hbm;
}

/// The nodes that hold the domain's data; only the closest one where bandwidths are not known.
std::vector<node_id> nodes_near(const machine& where, const domain& near, near_nodes which) {
  if (near.nodes.empty()) return {near.nearest.value_or(node_id{0})};
  const double earliest_ns = earliest_of(where, near);
  std::vector<node_id> made;
  for (const node_id one : near.nodes) {
    if (bandwidth_of(where.at(one)) == 0) return {near.nodes.front()};
    if (which == near_nodes::all || is_early(where.at(one), earliest_ns)) made.push_back(one);
  }
  return made.empty() ? std::vector{near.nodes.front()} : made;
}

}  // namespace

bool has_several(const machine& where, near_nodes which) {
  return std::ranges::any_of(where.domains(),
                             [&](const domain& near) { return nodes_near(where, near, which).size() > 1; });
}

data_parts parts_in_turn(const machine& where, std::vector<double> borders, near_nodes which) {
  data_parts made{.borders = std::move(borders)};
  for (const domain& near : where.domains()) {
    const std::vector<node_id> nodes = nodes_near(where, near, which);
    made.nodes.push_back(nodes.front());
    if (nodes.size() < 2 || std::ranges::find(made.turns, nodes.front(), &node_turns::of) != made.turns.end()) continue;
    std::vector<double> weights;
    for (const node_id one : nodes) weights.push_back(lent_bandwidth(where.at(one)));
    made.turns.push_back({nodes.front(), turns_by_weight(nodes, weights)});
  }
  return made;
}

double bandwidth_near(const machine& where, near_nodes which) {
  constexpr double bytes_per_ns_of_mib_per_s = 1048576.0 / 1e9;
  double mib_per_s = 0;
  for (const domain& near : where.domains())
    for (const node_id one : nodes_near(where, near, which)) mib_per_s += lent_bandwidth(where.at(one));
  return mib_per_s * bytes_per_ns_of_mib_per_s;
}

}  // namespace nearfork

#include <algorithm>
#include <optional>
#include <utility>

#include "base/made_once.hpp"
#include "machine/model/machine.hpp"
#include "memory/pools/node_pools.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {
namespace {

bool share_package(const machine& of, node_id a, node_id b) {
  const auto package_of = [&](domain_id id) { return of.at(id).package; };
  return std::ranges::any_of(of.at(a).domains, [&](domain_id one) {
    return std::ranges::any_of(of.at(b).domains, [&](domain_id other) { return package_of(one) == package_of(other); });
  });
}

/// The distance on the scale of the SLIT: 10 is local; 20 is what firmware says if it knows nothing.
std::uint32_t distance_between(const machine& of, node_id from, node_id to) {
  if (from == to) return 0;
  if (const auto known = of.node_distance(from, to)) return *known;
  return share_package(of, from, to) ? 15 : 20;
}

}  // namespace

nodes_by_distance nearest_nodes(const machine& of) {
  nodes_by_distance made;
  for (std::uint32_t from = 0; from < of.nodes().size(); ++from) {
    auto& order = made.emplace_back();
    for (std::uint32_t to = 0; to < of.nodes().size(); ++to) order.push_back(node_id{to});
    std::ranges::sort(order, {}, [&](node_id to) { return std::pair(distance_between(of, node_id{from}, to), to); });
  }
  return made;
}

node_pools& process_node_pools() {
  static constinit made_once<node_pools> pools;
  return pools.get([] {
    const auto machine = live_machine();
    return node_pools(system_spans(*machine), nearest_nodes(*machine),
                      []() noexcept { return used_memory.is_strict(); });
  });
}

}  // namespace nearfork

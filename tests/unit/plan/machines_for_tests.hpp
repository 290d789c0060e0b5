// Machines for tests of policies, made by hand: equal packages of one domain each, memory at each.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "machine/machine.hpp"

namespace nearfork {

inline machine machine_of(std::uint32_t domains, std::uint32_t cores_each) {
  machine_parts parts;
  parts.described_by = "by hand";
  parts.core_kinds.push_back({.name = "kind 0", .efficiency = -1, .cores = domains * cores_each});
  for (std::uint32_t d = 0; d < domains; ++d) {
    domain made{.package = package_id{d}, .cores = {}, .caches = {}, .nodes = {node_id{d}}};
    for (std::uint32_t i = 0; i < cores_each; ++i) {
      const std::uint32_t c = d * cores_each + i;
      made.cores.push_back(core_id{c});
      parts.cores.push_back(
          {.os = os_index{c}, .domain = domain_id{d}, .package = package_id{d}, .kind = 0, .pus = {pu_id{c}}});
      parts.pus.push_back({.os = os_index{c}, .core = core_id{c}});
    }
    parts.domains.push_back(std::move(made));
    parts.packages.push_back({.os = os_index{d}, .domains = {domain_id{d}}});
    memory_node node;
    node.os = os_index{d};
    node.domains = {domain_id{d}};
    parts.nodes.push_back(std::move(node));
  }
  return machine(std::move(parts));
}

/// 1, 2, 4 and 24 domains; one core, one core per domain, and several.
inline const std::vector<machine>& machines_for_tests() {
  static const std::vector<machine> all{machine_of(1, 1), machine_of(1, 4),  machine_of(2, 2),
                                        machine_of(4, 4), machine_of(24, 1), machine_of(24, 8)};
  return all;
}

}  // namespace nearfork

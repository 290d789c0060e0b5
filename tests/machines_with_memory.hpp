// Machines for tests of memory: a domain of one core per node, each node as large as given.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fake_memory.hpp"
#include "machine/machine.hpp"

namespace nearfork {

/// `pages_of_node`: 0 for a node without memory. Nodes lie on a line: the distance of two is by how far apart they are.
inline std::shared_ptr<const machine> machine_with(const std::vector<std::uint64_t>& pages_of_node) {
  machine_parts parts;
  parts.described_by = "by hand";
  const auto count = static_cast<std::uint32_t>(pages_of_node.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    domain made{.package = package_id{i}, .cores = {core_id{i}}, .caches = {}, .nodes = {}, .home = node_id{i}};
    if (pages_of_node[i] > 0) made.nodes = {node_id{i}};
    parts.domains.push_back(std::move(made));
    parts.packages.push_back({.os = os_index{i}, .domains = {domain_id{i}}});
    parts.cores.push_back(
        {.os = os_index{i}, .domain = domain_id{i}, .package = package_id{i}, .kind = 0, .pus = {pu_id{i}}});
    parts.pus.push_back({.os = os_index{i}, .core = core_id{i}});
    memory_node node;
    node.os = os_index{i};
    node.capacity_bytes = pages_of_node[i] * test::fake_nodes::page;
    node.domains = {domain_id{i}};
    parts.nodes.push_back(std::move(node));
    for (std::uint32_t other = 0; other < count; ++other)
      parts.node_distances.push_back(10 + 10 * (i > other ? i - other : other - i));
  }
  parts.core_kinds.push_back({.name = "kind 0", .efficiency = -1, .cores = count});
  return std::make_shared<const machine>(std::move(parts));
}

}  // namespace nearfork

// Machines for tests of memory: a domain of one core per node, each node of a given size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fake_memory.hpp"
#include "machine/model/machine.hpp"

namespace nearfork {

enum class distances_told : bool { no, yes };

/// `pages_of_node`: 0 for a node without memory. Nodes lie on a line: the distance of two nodes grows with their gap.
inline std::shared_ptr<const machine> machine_with(const std::vector<std::uint64_t>& pages_of_node,
                                                   distances_told told = distances_told::yes) {
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
    for (std::uint32_t other = 0; other < count && told == distances_told::yes; ++other)
      parts.node_distances.push_back(10 + 10 * (i > other ? i - other : other - i));
  }
  parts.core_kinds.push_back({.name = "kind 0", .efficiency = -1, .cores = count});
  return std::make_shared<const machine>(std::move(parts));
}

/// Node i is local to domain i % domains. The first `domains` nodes are DRAM, the others HBM.
struct tiered_node {
  std::uint64_t pages = 0;
  std::optional<std::uint64_t> bandwidth_mib_per_s{};
};

/// `domains` of one core each. Their DRAM nodes come first, then their HBM nodes. A node without pages is not local.
inline std::shared_ptr<const machine> machine_with_tiers(std::uint32_t domains,
                                                         const std::vector<tiered_node>& tiered) {
  machine_parts parts;
  parts.described_by = "by hand";
  for (std::uint32_t i = 0; i < domains; ++i) {
    parts.domains.push_back(
        {.package = package_id{i}, .cores = {core_id{i}}, .caches = {}, .nodes = {}, .home = node_id{i}});
    parts.packages.push_back({.os = os_index{i}, .domains = {domain_id{i}}});
    parts.cores.push_back(
        {.os = os_index{i}, .domain = domain_id{i}, .package = package_id{i}, .kind = 0, .pus = {pu_id{i}}});
    parts.pus.push_back({.os = os_index{i}, .core = core_id{i}});
  }
  const auto count = static_cast<std::uint32_t>(tiered.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const domain_id beside{i % domains};
    memory_node node;
    node.os = os_index{i};
    node.kind = i < domains ? memory_kind::dram : memory_kind::hbm;
    node.capacity_bytes = tiered[i].pages * test::fake_nodes::page;
    node.bandwidth_mib_per_s = tiered[i].bandwidth_mib_per_s;
    node.domains = {beside};
    parts.nodes.push_back(std::move(node));
    if (tiered[i].pages > 0) parts.domains[i % domains].nodes.push_back(node_id{i});
    for (std::uint32_t other = 0; other < count; ++other) {
      const std::uint32_t near = i % domains == other % domains ? 12 : 20;
      parts.node_distances.push_back(i == other ? 10 : near);
    }
  }
  parts.core_kinds.push_back({.name = "kind 0", .efficiency = -1, .cores = domains});
  return std::make_shared<const machine>(std::move(parts));
}

}  // namespace nearfork

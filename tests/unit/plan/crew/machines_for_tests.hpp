// Machines for tests of policies, made by hand: equal packages of one domain each, memory at each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork {

/// `cache_bytes`: size of the largest cache of a core; 0: none is known. `shared_by`: so many cores of a domain share
/// it; 0: all.
inline machine machine_of(const std::vector<std::uint32_t>& cores_of_domain, std::uint64_t cache_bytes = 0,
                          std::uint32_t shared_by = 0) {
  machine_parts parts;
  parts.described_by = "by hand";
  for (std::uint32_t d = 0; d < cores_of_domain.size(); ++d) {
    domain made{.package = package_id{d}, .cores = {}, .caches = {}, .nodes = {node_id{d}}};
    if (cache_bytes > 0)
      made.caches = {{1, 32 << 10, 1}, {3, cache_bytes, shared_by > 0 ? shared_by : cores_of_domain[d]}};
    for (std::uint32_t i = 0; i < cores_of_domain[d]; ++i) {
      const auto c = static_cast<std::uint32_t>(parts.cores.size());
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
  parts.core_kinds.push_back({.name = "kind 0", .efficiency = -1, .cores = static_cast<unsigned>(parts.cores.size())});
  return machine(std::move(parts));
}
inline machine machine_of(std::uint32_t domains, std::uint32_t cores_each, std::uint64_t cache_bytes = 0,
                          std::uint32_t shared_by = 0) {
  return machine_of(std::vector<std::uint32_t>(domains, cores_each), cache_bytes, shared_by);
}

/// The papers' machine: four Opteron 8380, 6 MiB of shared cache each.
inline machine opteron_8380() {
  return machine_of(4, 4, std::uint64_t{6} << 20);
}

/// As machine_of(). `rank`: hwloc's rank of each domain's cores, from -1 (not known) on; the kinds are numbered by it.
inline machine machine_of_kinds(const std::vector<std::uint32_t>& cores_of_domain, const std::vector<int>& rank,
                                std::uint64_t cache_bytes = 0) {
  machine_parts parts = machine_of(cores_of_domain, cache_bytes).parts();
  const int least = *std::min_element(rank.begin(), rank.end());
  const int most = *std::max_element(rank.begin(), rank.end());
  parts.core_kinds.clear();
  for (int r = least; r <= most; ++r)
    parts.core_kinds.push_back({.name = "kind " + std::to_string(r), .efficiency = r});
  for (core& one : parts.cores) {
    one.kind = static_cast<unsigned>(rank[index_of_id(one.domain)] - least);
    ++parts.core_kinds[one.kind].cores;
  }
  return machine(std::move(parts));
}

/// The machine of SAWS, four Xeon X7560: two of them big, two little, with 24 MiB of shared cache each.
inline machine xeon_x7560_halves() {
  return machine_of_kinds({8, 8, 8, 8}, {1, 1, 0, 0}, std::uint64_t{24} << 20);
}

/// 1, 2, 4 and 24 domains, unequal ones; one core, one core per domain, and several; with shared caches and without;
/// the last three with unequal kinds of cores.
inline const std::vector<machine>& machines_for_tests() {
  static const std::vector<machine> all{machine_of(1, 1),
                                        machine_of(1, 4),
                                        machine_of(2, 2),
                                        machine_of(4, 4),
                                        machine_of(24, 1),
                                        machine_of(24, 8),
                                        machine_of({3, 1, 2}),
                                        opteron_8380(),
                                        machine_of(1, 4, 4 << 20),
                                        machine_of(2, 2, 1 << 20),
                                        machine_of({1, 7}, 2 << 20),
                                        machine_of(24, 1, 1 << 16),
                                        xeon_x7560_halves(),
                                        machine_of_kinds({2, 1, 3}, {0, 2, 1}, 1 << 16),
                                        machine_of_kinds({1, 2, 1}, {1, 0, 1})};
  return all;
}

}  // namespace nearfork

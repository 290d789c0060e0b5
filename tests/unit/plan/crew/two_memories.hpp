// Machines for tests of policies: domains with a second memory node beside the usual one.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "machine/model/machine.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork {

struct second_memory {
  memory_kind kind = memory_kind::hbm;
  std::optional<std::uint64_t> mib_per_s = 4000;  // nullopt: of no node is it known
  std::optional<std::uint64_t> ns = {};
};

/// Domains of four cores with a node of DRAM each, numbered first, of 1000 MiB/s and 100 ns, and the second node.
inline machine with_second_nodes(std::uint32_t domains, const second_memory& beside, std::uint64_t cache_bytes = 0) {
  machine_parts parts = machine_of(domains, 4, cache_bytes).parts();
  for (std::uint32_t d = 0; d < domains; ++d) {
    memory_node more;
    more.os = os_index{domains + d};
    more.kind = beside.kind;
    more.domains = {domain_id{d}};
    parts.nodes.push_back(more);
    parts.domains[d].nodes.push_back(node_id{domains + d});
  }
  for (memory_node& one : parts.nodes) {
    const bool is_second = index_of_id(one.domains.front()) + domains == number_of(one.os);
    one.capacity_bytes = std::uint64_t{1} << 34;
    if (beside.mib_per_s) one.bandwidth_mib_per_s = is_second ? *beside.mib_per_s : 1000;
    if (beside.ns) one.latency_ns = is_second ? *beside.ns : 100;
  }
  return machine(std::move(parts));
}

}  // namespace nearfork

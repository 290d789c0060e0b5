// What the pools of small blocks could not have, as a run report says it.
#pragma once

#include <span>
#include <vector>

#include "machine/model/machine.hpp"
#include "memory/pools/node_pools.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

/// `pools`: of the nodes of `where`. Nodes are called by the system's numbers, as everywhere on a report.
[[nodiscard]] std::vector<memory_shortfall> shortfalls_of(std::span<const node_pool_facts> pools, const machine& where);

}  // namespace nearfork

// Shortfalls of the pools of small blocks, worded for a run report.
#pragma once

#include <span>
#include <vector>

#include "machine/model/machine.hpp"
#include "memory/pools/node_pools.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

/// `pools`: the pools of the nodes of `where`. The texts name nodes by the system's numbers, as all reports do.
[[nodiscard]] std::vector<memory_shortfall> shortfalls_of(std::span<const node_pool_facts> pools, const machine& where);

}  // namespace nearfork

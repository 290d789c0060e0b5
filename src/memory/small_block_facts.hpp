// What became of the process's pools, for programs that may have used none: these are not to link their code.
#pragma once

#include <vector>

#include "memory/node_pools_supply.hpp"

namespace nearfork {

/// By node; none where nobody has used the pools.
[[nodiscard]] std::vector<node_pool_facts> small_block_facts();

using pool_facts_reader = std::vector<node_pool_facts> (*)();
/// From now on facts come from there. Any thread, any number of times.
void small_blocks_are_used(pool_facts_reader read) noexcept;

}  // namespace nearfork

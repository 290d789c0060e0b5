// The subtrees that BATS gives homes: its section 7.1.
#pragma once

#include <cstdint>

#include "plan/packing/packing.hpp"
#include "plan/profile/profile.hpp"

namespace nearfork {

/// So many tasks for each core of a domain keep its cores busy.
inline constexpr std::uint32_t subgraph_tasks_per_core = 10;

/// The smallest subtrees with at least subgraph_tasks_per_core * `cores` tasks that tile the tree: a task is taken
/// apart only if each of its children has as many. Empty: the whole tree has fewer.
[[nodiscard]] packing subgraphs_of(const profile& measured, std::uint32_t cores);

}  // namespace nearfork

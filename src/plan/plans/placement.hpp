// What a plan says about one task.
#pragma once

#include <cstdint>
#include <limits>

namespace nearfork {

/// Which of a domain's pools holds a task.
enum class pool_class : std::uint8_t {
  high,  // subtrees whose data are near (LAWS: the CF task pool; BATS: high-localized subgraphs)
  weak,  // subtrees of which no domain has most of the data (BATS: low-localized subgraphs)
  low,   // tasks without a home, and work sent to no place
};

/// What a task does with its children; fork_sending.hpp spells it out.
enum class spawn_order : std::uint8_t {
  child_first,      // run the first, leave the others to thieves
  parent_first,     // send all to the pools that the plan names, and wait
  others_to_pools,  // run the first, send the others to the pools that the plan names
};

/// In which order a child-first fork runs its children while no thief comes: from the first to the last, or backward.
enum class sweep : std::uint8_t { forward, backward };
[[nodiscard]] constexpr sweep turned(sweep way) noexcept {
  return way == sweep::forward ? sweep::backward : sweep::forward;
}

/// No particular domain: the domain of the worker that forks.
inline constexpr std::uint16_t any_domain = std::numeric_limits<std::uint16_t>::max();

/// The domain where programs begin, and the iterations of regions whose subtrees have no homes.
inline constexpr std::uint16_t first_domain = 0;

struct placement {
  std::uint16_t domain = any_domain;
  pool_class pool = pool_class::high;
  spawn_order children = spawn_order::child_first;  // how this task spawns its children
  bool subtree_root = false;                        // the plan says nothing below this task
  friend constexpr bool operator==(const placement&, const placement&) = default;
};

}  // namespace nearfork

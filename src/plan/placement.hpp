// What a plan says about one task.
#pragma once

#include <cstdint>
#include <limits>

namespace nearfork {

/// Which of a domain's pools holds a task: BATS's high- and low-localized subgraphs; LAWS has only the high one.
enum class pool_class : std::uint8_t { high, low };

/// What a task does with its children: run one and leave the others to thieves, or send all to pools and wait.
enum class spawn_order : std::uint8_t { child_first, parent_first };

/// No particular domain: that of the worker that forks.
inline constexpr std::uint16_t any_domain = std::numeric_limits<std::uint16_t>::max();

struct placement {
  std::uint16_t domain = any_domain;
  pool_class pool = pool_class::high;
  spawn_order children = spawn_order::child_first;  // how this task spawns its own
  bool subtree_root = false;                        // nothing is planned below this task
  friend constexpr bool operator==(const placement&, const placement&) = default;
};

}  // namespace nearfork

// Trees for tests: any shape, from a seed.
#pragma once

#include <cstdint>

#include "base/rng.hpp"
#include "plan/profile/task_tree.hpp"

namespace nearfork {

/// At most about `nodes` tasks, with 1 to 4 children a fork. Any task may fork, and some fork more than once.
inline task_tree random_tree(std::uint64_t seed, std::uint32_t nodes) {
  rng random(seed);
  task_tree tree;
  const std::uint32_t forks = random.below(nodes / 3 + 1);
  for (std::uint32_t i = 0; i < forks; ++i)
    (void)tree.try_fork(tree_node{random.below(static_cast<std::uint32_t>(tree.size()))}, 1 + random.below(4));
  return tree;
}

/// Every task forks `branching` children down to `depth`.
inline task_tree regular_tree(std::uint32_t branching, std::uint32_t depth) {
  task_tree tree;
  std::uint32_t level_begin = 0;
  for (std::uint32_t level = 0; level < depth; ++level) {
    const auto level_end = static_cast<std::uint32_t>(tree.size());
    for (; level_begin < level_end; ++level_begin) (void)tree.try_fork(tree_node{level_begin}, branching);
  }
  return tree;
}

}  // namespace nearfork

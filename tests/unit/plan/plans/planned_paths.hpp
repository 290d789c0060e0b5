// What a plan makes of a tree, found out as a worker finds out: by following the plan with cursors.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "plan/plans/plan.hpp"

namespace nearfork {

/// How a task is met: its placement, and how many subtree roots lie on the way down to the task, itself included.
struct met_task {
  tree_node node;
  placement where;
  std::uint32_t roots_above;
  bool planned;
};

inline void follow(const plan& made, const task_tree& tree, met_task at, plan_cursor cursor,
                   const std::function<void(const met_task&)>& visit) {
  visit(at);
  tree.for_each_fork(at.node, [&](tree_node first, std::uint32_t branching) {
    const planned_fork fork = cursor.fork(branching);
    for (std::uint32_t i = 0; i < branching; ++i) {
      met_task child{tree_node{index_of(first) + i}, {}, at.roots_above, !fork.empty()};
      plan_cursor below;
      if (!fork.empty()) {
        planned_fork::child foreseen = fork.at(i);
        child.where = foreseen.where;
        child.roots_above += foreseen.where.subtree_root ? 1 : 0;
        below = foreseen.cursor;
      }
      follow(made, tree, child, below, visit);
    }
  });
}

/// Calls `visit` for every task of the tree; the plan must not be empty.
inline void follow(const plan& made, const task_tree& tree, const std::function<void(const met_task&)>& visit) {
  const placement root = made.root()->where;
  follow(made, tree, {tree_root, root, root.subtree_root ? 1U : 0U, true}, plan_cursor(made), visit);
}

/// The subtree roots, in the order in which they are met.
inline std::vector<met_task> subtrees_of(const plan& made, const task_tree& tree) {
  std::vector<met_task> roots;
  follow(made, tree, [&](const met_task& at) {
    if (at.where.subtree_root) roots.push_back(at);
  });
  return roots;
}

}  // namespace nearfork

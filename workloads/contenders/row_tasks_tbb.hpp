#pragma once

#include <oneapi/tbb/task_group.h>

#include "workloads/row_tree.hpp"

namespace nearfork::workloads {

/// leaf(first, last) for every leaf of the tree, by oneTBB's tasks.
template <class Leaf>
void tbb_rows(const row_tree& tree, const row_task& task, const Leaf& leaf) {
  if (row_tree::is_leaf(task)) {
    leaf(task.first, task.last);
    return;
  }
  tbb::task_group others;
  for (unsigned i = row_tree::children(task); i-- > 1;)
    others.run([&, i] { tbb_rows(tree, tree.child(task, i), leaf); });
  tbb_rows(tree, tree.child(task, 0), leaf);
  others.wait();
}

}  // namespace nearfork::workloads

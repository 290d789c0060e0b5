#pragma once

#include <oneapi/tbb/task_group.h>

#include "workloads/grid/slab_tree.hpp"

namespace nearfork::workloads {

/// Calls leaf(first, last) for every leaf of the tree, in oneTBB's tasks.
template <class Leaf>
void tbb_slabs(const slab_tree& tree, const slab_task& task, const Leaf& leaf) {
  if (slab_tree::is_leaf(task)) {
    leaf(task.first, task.last);
    return;
  }
  tbb::task_group others;
  for (unsigned i = slab_tree::children(task); i-- > 1;)
    others.run([&, i] { tbb_slabs(tree, tree.child(task, i), leaf); });
  tbb_slabs(tree, tree.child(task, 0), leaf);
  others.wait();
}

}  // namespace nearfork::workloads

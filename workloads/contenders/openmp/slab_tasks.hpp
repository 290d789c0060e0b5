#pragma once

#include "workloads/grid/slab_tree.hpp"

namespace nearfork::workloads {

/// Calls leaf(first, last) for every leaf of the tree, in OpenMP's tasks.
template <class Leaf>
void omp_slabs(const slab_tree& tree, const slab_task& task, const Leaf& leaf) {
  if (slab_tree::is_leaf(task)) {
    leaf(task.first, task.last);
    return;
  }
  for (unsigned i = slab_tree::children(task); i-- > 1;) {
#pragma omp task default(shared) firstprivate(i)
    omp_slabs(tree, tree.child(task, i), leaf);
  }
  omp_slabs(tree, tree.child(task, 0), leaf);
#pragma omp taskwait
}

}  // namespace nearfork::workloads

#pragma once

#include "workloads/row_tree.hpp"

namespace nearfork::workloads {

/// leaf(first, last) for every leaf of the tree, by OpenMP's tasks.
template <class Leaf>
void omp_rows(const row_tree& tree, const row_task& task, const Leaf& leaf) {
  if (row_tree::is_leaf(task)) {
    leaf(task.first, task.last);
    return;
  }
  for (unsigned i = row_tree::children(task); i-- > 1;) {
#pragma omp task default(shared) firstprivate(i)
    omp_rows(tree, tree.child(task, i), leaf);
  }
  omp_rows(tree, tree.child(task, 0), leaf);
#pragma omp taskwait
}

}  // namespace nearfork::workloads

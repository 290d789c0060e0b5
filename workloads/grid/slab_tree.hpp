// How the grid programs divide their slabs (rows of a matrix, planes of a cuboid) into tasks. As in the A-CAB and LAWS
// papers, every task divides its slabs evenly among its children, down to leaves of 8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nearfork/fork_join.hpp>

namespace nearfork::workloads {

/// regular: two children each, so that the depths of leaves differ by at most one. irregular ("-ir" in LAWS, "-ub" in
/// A-CAB): the branching degree varies from task to task, so that leaves have different depths and siblings' subtrees
/// have different shapes. LAWS says no more than that, and A-CAB shows its program in a supplement only. Ours: the root
/// has degree 2, and child i (from 0) of a task of degree d has degree 2 + (d + i) mod 3, that is 2, 3 or 4. The
/// leaves, and so the program's work and its answer, are those of the regular tree.
enum class tree_shape : std::uint8_t { regular, irregular };

inline constexpr std::size_t leaf_slabs = 8;

/// Slabs [first, last), and the number of children that they are divided among.
struct slab_task {
  std::size_t first;
  std::size_t last;
  unsigned degree = 2;
};

class slab_tree {
 public:
  explicit constexpr slab_tree(tree_shape shape) noexcept : shape_(shape) {}

  [[nodiscard]] constexpr tree_shape shape() const noexcept { return shape_; }
  [[nodiscard]] static constexpr bool is_leaf(const slab_task& task) noexcept {
    return task.last - task.first <= leaf_slabs;
  }
  /// Fewer than the degree if there are fewer leaves.
  [[nodiscard]] static constexpr unsigned children(const slab_task& task) noexcept {
    return static_cast<unsigned>(std::min<std::size_t>(task.degree, leaves(task)));
  }
  /// Child i of a task that is no leaf. Cuts are between leaves, so all leaves but the last have exactly 8.
  [[nodiscard]] constexpr slab_task child(const slab_task& task, unsigned i) const noexcept {
    return {cut(task, i), cut(task, i + 1), shape_ == tree_shape::regular ? 2 : 2 + (task.degree + i) % 3};
  }

 private:
  [[nodiscard]] static constexpr std::size_t leaves(const slab_task& task) noexcept {
    return (task.last - task.first + leaf_slabs - 1) / leaf_slabs;
  }
  [[nodiscard]] static constexpr std::size_t cut(const slab_task& task, unsigned i) noexcept {
    return std::min(task.last, task.first + leaf_slabs * (leaves(task) * i / children(task)));
  }

  tree_shape shape_;
};

/// Calls leaf(first, last) for every leaf of the tree, in parallel.
template <class Leaf>
void fork_slabs(const slab_tree& tree, const slab_task& task, const Leaf& leaf) {
  if (slab_tree::is_leaf(task)) {
    leaf(task.first, task.last);
    return;
  }
  const auto child = [&](unsigned i) { return [&, i] { fork_slabs(tree, tree.child(task, i), leaf); }; };
  switch (slab_tree::children(task)) {
    case 2: fork_join(child(0), child(1)); break;
    case 3: fork_join(child(0), child(1), child(2)); break;
    default: fork_join(child(0), child(1), child(2), child(3)); break;
  }
}

}  // namespace nearfork::workloads

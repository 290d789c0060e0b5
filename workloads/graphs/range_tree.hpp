// How the graph programs divide their nodes into tasks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "workloads/graphs/pull_lists.hpp"

namespace nearfork::workloads {

/// Tasks halve ranges of nodes down to leaves. A node weighs one, and one more for each node that it reads; halves
/// weigh about the same, because a few nodes of a real graph may have half of all edges.
class range_tree {
 public:
  struct range {
    std::size_t first;
    std::size_t last;
  };
  /// About 20 us of work.
  static constexpr std::uint64_t leaf_weight = 4096;

  explicit range_tree(const list_view& lists) noexcept : lists_(lists) {}

  [[nodiscard]] range root() const noexcept { return {0, lists_.nodes()}; }
  [[nodiscard]] bool is_leaf(range task) const noexcept {
    return task.last - task.first <= 1 || weight_before(task.last) - weight_before(task.first) <= leaf_weight;
  }
  /// Where the second half of a range that is no leaf begins. Neither half is empty.
  [[nodiscard]] std::size_t middle(range task) const noexcept {
    const std::uint64_t before = weight_before(task.first);
    const std::uint64_t half = before + (weight_before(task.last) - before) / 2;
    std::size_t low = task.first + 1;
    std::size_t high = task.last - 1;
    while (low < high) {
      const std::size_t node = low + (high - low) / 2;
      if (weight_before(node) < half) low = node + 1;
      else high = node;
    }
    return low;
  }

 private:
  [[nodiscard]] std::uint64_t weight_before(std::size_t node) const noexcept { return lists_.offsets[node] + node; }

  list_view lists_;
};

/// Calls leaf(first, last) for every leaf of the tree.
template <class Fork, class Leaf>
void fork_ranges(const range_tree& tree, range_tree::range task, const Fork& fork, const Leaf& leaf) {
  if (tree.is_leaf(task)) {
    leaf(task.first, task.last);
    return;
  }
  const std::size_t middle = tree.middle(task);
  fork([&] { fork_ranges(tree, {task.first, middle}, fork, leaf); },
       [&] { fork_ranges(tree, {middle, task.last}, fork, leaf); });
}

}  // namespace nearfork::workloads

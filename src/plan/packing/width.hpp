// How many tasks of a tree can be in progress at once.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/profile/task_tree.hpp"

namespace nearfork {

/// A task that forks waits for its children, and its forks come one after the other. More cores than its width cannot
/// be busy with a task and all below it, whatever the plan. Making them is O(tasks).
class task_widths {
 public:
  explicit task_widths(const task_tree& tree);
  /// Of a task with all below it; of a leaf: 1.
  [[nodiscard]] std::uint32_t of(tree_node node) const noexcept { return widths_[index_of(node)]; }

 private:
  std::vector<std::uint32_t> widths_;
};

}  // namespace nearfork

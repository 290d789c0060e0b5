#include "plan/packing/width.hpp"

#include <algorithm>

namespace nearfork {

// The children of one fork have numbers in a row, and parents come before children. So from the back all children of a
// fork are complete, one after the other, before their parent's turn comes.
task_widths::task_widths(const task_tree& tree) : widths_(tree.size(), 1) {
  std::uint32_t of_fork = 0;
  for (auto i = static_cast<std::uint32_t>(tree.size()) - 1; i > 0; --i) {
    const tree_node node{i};
    of_fork += widths_[i];
    if (tree.position(node).index > 0) continue;
    std::uint32_t& above = widths_[index_of(tree.parent(node))];
    above = std::max(above, of_fork);
    of_fork = 0;
  }
}

}  // namespace nearfork

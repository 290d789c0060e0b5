#include "plan/packing/subgraphs.hpp"

#include <algorithm>
#include <vector>

namespace nearfork {

packing subgraphs_of(const profile& measured, std::uint32_t cores) {
  const task_tree& tree = measured.tree();
  const std::uint64_t least = std::uint64_t{subgraph_tasks_per_core} * cores;
  packing roots;
  if (measured.tasks(tree_root) < least) return roots;
  std::vector<tree_node> open{tree_root};
  while (!open.empty()) {
    const tree_node node = open.back();
    open.pop_back();
    bool comes_apart = !tree.is_leaf(node);
    tree.for_each_child(node, [&](tree_node child) { comes_apart = comes_apart && measured.tasks(child) >= least; });
    if (comes_apart) tree.for_each_child(node, [&](tree_node child) { open.push_back(child); });
    else roots.push_back(node);
  }
  std::ranges::sort(roots);
  return roots;
}

}  // namespace nearfork

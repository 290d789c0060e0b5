#include "plan/packing/packing.hpp"

#include <algorithm>
#include <utility>

namespace nearfork {

packing highest_roots(const task_tree& tree, const may_be_root& allowed) {
  packing roots;
  std::vector<tree_node> above{tree_root};
  while (!above.empty()) {
    const tree_node node = above.back();
    above.pop_back();
    if (allowed(node) || tree.is_leaf(node)) roots.push_back(node);
    else tree.for_each_child(node, [&](tree_node child) { above.push_back(child); });
  }
  std::sort(roots.begin(), roots.end());
  return roots;
}

packing one_level_down(const task_tree& tree, const packing& roots) {
  packing lower;
  for (const tree_node root : roots)
    if (tree.is_leaf(root)) lower.push_back(root);
    else tree.for_each_child(root, [&](tree_node child) { lower.push_back(child); });
  std::sort(lower.begin(), lower.end());
  return lower;
}

packing one_level_up(const task_tree& tree, const packing& roots, const may_be_root& allowed) {
  packing chosen;
  for (const tree_node root : roots) {
    const tree_node parent = tree.parent(root);
    chosen.push_back(parent != no_node && allowed(parent) ? parent : root);
  }
  std::sort(chosen.begin(), chosen.end());
  return highest_roots(tree, [&](tree_node node) { return std::binary_search(chosen.begin(), chosen.end(), node); });
}

packing with_at_least(std::size_t least, const task_tree& tree, packing roots) {
  while (roots.size() < least) {
    packing lower = one_level_down(tree, roots);
    if (lower == roots) break;
    roots = std::move(lower);
  }
  return roots;
}

packing_ladder::packing_ladder(const task_tree& tree, packing first, may_be_root allowed, std::size_t least_roots)
    : tree_(tree), allowed_(std::move(allowed)), least_roots_(least_roots) {
  levels_.emplace(0, std::move(first));
}

const packing* packing_ladder::at(int level) {
  const int step = level > 0 ? 1 : -1;
  for (int reached = 0; reached != level; reached += step) {
    if (levels_.contains(reached + step)) continue;
    std::optional<packing> made = beyond(levels_.at(reached), reached + step);
    if (!made) return nullptr;
    levels_.emplace(reached + step, std::move(*made));
  }
  return &levels_.at(level);
}

std::optional<packing> packing_ladder::beyond(const packing& nearer, int level) const {
  packing made = level > 0 ? one_level_down(tree_, nearer) : one_level_up(tree_, nearer, allowed_);
  if (made == nearer || (level < 0 && made.size() < least_roots_)) return std::nullopt;
  return made;
}

}  // namespace nearfork

// A packing: the roots of the subtrees that a tree is cut into. Each path from the tree's root to a leaf has exactly
// one of them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "plan/profile/task_tree.hpp"

namespace nearfork {

/// In ascending order, so that equal packings compare equal.
using packing = std::vector<tree_node>;
using may_be_root = std::function<bool(tree_node)>;

/// The highest tasks that may be roots. If neither a leaf nor any task above it may be a root, the leaf is a subtree of
/// its own.
[[nodiscard]] packing highest_roots(const task_tree& tree, const may_be_root& allowed);

/// Replaces each root by its children. Roots that are leaves stay (LAWS Alg. 1, line 4).
[[nodiscard]] packing one_level_down(const task_tree& tree, const packing& roots);

/// Replaces each root by its parent, if the parent may be a root. If one root lies above another, the higher one stays
/// (LAWS Alg. 1, line 16).
[[nodiscard]] packing one_level_up(const task_tree& tree, const packing& roots, const may_be_root& allowed);

/// Goes down until there are `least` roots, or all roots are leaves.
[[nodiscard]] packing with_at_least(std::size_t least, const task_tree& tree, packing roots);

/// The packings of LAWS Alg. 1. Level 0 is the first packing; positive levels are further down, negative levels further
/// up.
class packing_ladder {
 public:
  /// No level above the first packing has fewer roots than `least_roots`.
  packing_ladder(const task_tree& tree, packing first, may_be_root allowed, std::size_t least_roots);

  /// The packing of a level. nullptr: it does not differ from the next one towards level 0.
  [[nodiscard]] const packing* at(int level);

 private:
  [[nodiscard]] std::optional<packing> beyond(const packing& nearer, int level) const;

  const task_tree& tree_;
  may_be_root allowed_;
  std::size_t least_roots_;
  std::map<int, packing> levels_;
};

}  // namespace nearfork

// A packing: the roots of the subtrees that a tree is cut into. Every way from the tree's root to a leaf meets exactly
// one of them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "plan/profile/task_tree.hpp"

namespace nearfork {

/// Ascending, so that equal packings compare equal.
using packing = std::vector<tree_node>;
using may_be_root = std::function<bool(tree_node)>;

/// The highest tasks that may be roots; a leaf that may not, below others that may not, is a subtree of its own.
[[nodiscard]] packing highest_roots(const task_tree& tree, const may_be_root& allowed);

/// Every root is replaced by its children; roots that are leaves stay (LAWS Alg. 1, line 4).
[[nodiscard]] packing one_level_down(const task_tree& tree, const packing& roots);

/// Every root is replaced by its parent, where that may be one; of a root and one above it the higher stays (LAWS
/// Alg. 1, line 16).
[[nodiscard]] packing one_level_up(const task_tree& tree, const packing& roots, const may_be_root& allowed);

/// As many levels down as it takes to have `least` roots, or all leaves.
[[nodiscard]] packing with_at_least(std::size_t least, const task_tree& tree, packing roots);

/// The packings of LAWS Alg. 1: level 0 is the first one, positive levels lie further down, negative ones further up.
class packing_ladder {
 public:
  /// No level above the first has fewer roots than `least_roots`.
  packing_ladder(const task_tree& tree, packing first, may_be_root allowed, std::size_t least_roots);

  /// nullptr: no packing of that level differs from the one beside it.
  [[nodiscard]] const packing* at(int level);

 private:
  [[nodiscard]] std::optional<packing> beyond(const packing& nearer, int level) const;

  const task_tree& tree_;
  may_be_root allowed_;
  std::size_t least_roots_;
  std::map<int, packing> levels_;
};

}  // namespace nearfork

#include "plan/plans/placement_rule.hpp"

namespace nearfork {

rule_position root_position(const placement_rule& rule) noexcept {
  return {.size_bytes = rule.input_bytes};
}

rule_position child_position(const rule_position& parent, sibling_position child) noexcept {
  return {.share = share_of_child(parent.share, child),
          .size_bytes = parent.size_bytes / static_cast<double>(child.branching),
          .depth = parent.depth + 1};
}

placement place(const placement_rule& rule, const rule_position& task) noexcept {
  const bool subtree_root = task.depth >= rule.cut_depth || task.size_bytes <= rule.most_subtree_bytes;
  return {.domain = domain_of_share(rule.domain_borders, task.share),
          .pool = rule.pool,
          .children = subtree_root ? spawn_order::child_first : rule.above,
          .subtree_root = subtree_root};
}

}  // namespace nearfork

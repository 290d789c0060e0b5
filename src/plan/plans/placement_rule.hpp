// Placement of tasks that no profile knows: a rule that needs nothing but the way down from the root.
//
// For LAWS's first iteration (domain by share, nothing cut), A-CAB's path without profile (cut by size) and CAB (cut
// by depth).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/plans/domain_share.hpp"
#include "plan/plans/placement.hpp"
#include "plan/profile/profile.hpp"

namespace nearfork {

struct placement_rule {
  spawn_order above = spawn_order::parent_first;  // of tasks above the subtree roots; inside, child-first
  pool_class pool = pool_class::high;
  /// Domain i is given the tasks whose share lies within [borders[i], borders[i + 1]]; a task that spans two has no
  /// domain. Empty: no task has one.
  std::vector<double> domain_borders{};
  double input_bytes = 0;          // of the region, divided over the branching degrees on the way down (A-CAB Eq. 2)
  double most_subtree_bytes = -1;  // a task with at most that many is a subtree root
  std::uint32_t cut_depth = std::numeric_limits<std::uint32_t>::max();  // and so is any task as deep as that
};

/// What a rule knows of a task. The root's is {}, but for its size.
struct rule_position {
  data_share share{};
  double size_bytes = 0;
  std::uint32_t depth = 0;
};

[[nodiscard]] rule_position root_position(const placement_rule& rule) noexcept;
[[nodiscard]] rule_position child_position(const rule_position& parent, sibling_position child) noexcept;
[[nodiscard]] placement place(const placement_rule& rule, const rule_position& task) noexcept;

}  // namespace nearfork

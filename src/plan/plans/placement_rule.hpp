// Placement of tasks without a profile: by a rule that uses only the path from the root to the task.
//
// Used for LAWS's first iteration (domain by share, no cut), A-CAB without a profile (cut by size) and CAB (cut by
// depth).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/plans/domain_share.hpp"
#include "plan/plans/placement.hpp"
#include "plan/profile/profile.hpp"

namespace nearfork {

struct placement_rule {
  spawn_order above = spawn_order::parent_first;  // of tasks above the subtree roots; inside subtrees child-first
  pool_class pool = pool_class::high;
  /// Domain i gets the tasks whose share lies within [borders[i], borders[i + 1]]. A task that spans two domains gets
  /// none. Empty: no task gets a domain.
  std::vector<double> domain_borders{};
  double input_bytes = 0;          // of the region; divided by the branching degrees of the path (A-CAB Eq. 2)
  double most_subtree_bytes = -1;  // a task with at most this many bytes is a subtree root
  std::uint32_t cut_depth = std::numeric_limits<std::uint32_t>::max();  // and so is a task at this depth
};

/// What a rule knows of a task. For the root it is {}, except the size.
struct rule_position {
  data_share share{};
  double size_bytes = 0;
  std::uint32_t depth = 0;
};

[[nodiscard]] rule_position root_position(const placement_rule& rule) noexcept;
[[nodiscard]] rule_position child_position(const rule_position& parent, sibling_position child) noexcept;
[[nodiscard]] placement place(const placement_rule& rule, const rule_position& task) noexcept;

}  // namespace nearfork

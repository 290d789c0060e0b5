// How near a subtree's data were when it ran in some domain.
#pragma once

#include <cstdint>

#include "plan/profile/task_tree.hpp"

namespace nearfork {

/// Of one iteration: what the tasks of one subtree got from memory, local to the domain where it ran and remote. In any
/// unit, the same for both.
struct subtree_traffic {
  tree_node root{};
  std::uint16_t domain = 0;
  double local = 0;
  double remote = 0;
  friend constexpr bool operator==(const subtree_traffic&, const subtree_traffic&) = default;
};

}  // namespace nearfork

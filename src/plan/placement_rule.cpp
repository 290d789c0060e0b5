#include "plan/placement_rule.hpp"

#include <algorithm>

namespace nearfork {
namespace {

/// Shares that were split by thirds and borders that were split by halves meet up to rounding. Relative to the share,
/// so that small tasks at a border stay with their parents.
constexpr double rounding = 1e-6;

std::uint16_t domain_of_share(const std::vector<double>& borders, data_share share) noexcept {
  const double slack = share.width() * rounding;
  // The first border beyond the share's lower end closes the only domain that can hold all of it.
  const auto closing = std::upper_bound(borders.begin(), borders.end(), share.lo + slack);
  if (closing == borders.begin() || closing == borders.end() || share.hi > *closing + slack) return any_domain;
  return static_cast<std::uint16_t>(closing - borders.begin() - 1);
}

}  // namespace

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

std::vector<double> even_borders(std::uint32_t domains) {
  std::vector<double> borders;
  for (std::uint32_t i = 0; i <= domains; ++i) borders.push_back(static_cast<double>(i) / static_cast<double>(domains));
  return borders;
}

}  // namespace nearfork

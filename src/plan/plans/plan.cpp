#include "plan/plans/plan.hpp"

#include <utility>

namespace nearfork {

struct plan::copying {
  plan& made;
  const task_tree& tree;
  const decision& decide;
  std::vector<tree_node> origin{};  // the tree's node of each of the plan's nodes

  void add(tree_node node) {
    made.nodes_.push_back({decide(node), none});
    origin.push_back(node);
  }

  /// Returns the index of the first fork, or none.
  std::uint32_t add_forks(tree_node from) {
    const auto first = static_cast<std::uint32_t>(made.forks_.size());
    tree.for_each_fork(from, [&](tree_node first_child, std::uint32_t branching) {
      const auto index = static_cast<std::uint32_t>(made.forks_.size());
      if (index != first) made.forks_.back().next = index;
      made.forks_.push_back({static_cast<std::uint32_t>(made.nodes_.size()), branching, none});
      for (std::uint32_t i = 0; i < branching; ++i) add(tree_node{index_of(first_child) + i});
    });
    return made.forks_.size() == first ? none : first;
  }
};

plan::plan(const task_tree& tree, const decision& decide) {
  copying copy{*this, tree, decide};
  copy.add(tree_root);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].where.subtree_root) {
      if (i > 0) add_at_home(nodes_[i].where.domain);  // the root is not sent anywhere
      continue;
    }
    const auto first_fork = copy.add_forks(copy.origin[i]);  // may reallocate nodes_
    nodes_[i].first_fork = first_fork;
  }
}

void plan::add_at_home(std::uint16_t domain) {
  if (domain == any_domain) return;
  if (domain >= at_home_.size()) at_home_.resize(domain + std::size_t{1});
  ++at_home_[domain];
}

std::uint32_t plan::root_forks() const noexcept {
  std::uint32_t forks = 0;
  if (!empty())
    for (std::uint32_t at = nodes_.front().first_fork; at != none; at = forks_[at].next) ++forks;
  return forks;
}

plan::plan(placement_rule rule) : rule_(std::move(rule)), data_{.borders = rule_->domain_borders} {
  nodes_.push_back({place(*rule_, root_position(*rule_)), none});
}

}  // namespace nearfork

#include "plan/profile/task_tree.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nearfork {

task_tree::task_tree(std::size_t most_nodes) : most_nodes_(std::clamp<std::size_t>(most_nodes, 1, unbounded)) {
  nodes_.push_back({none, none, none});
}

tree_node task_tree::try_fork(tree_node parent, std::uint32_t branching) {
  assert(branching > 0 && index_of(parent) < nodes_.size());
  if (branching > most_nodes_ - nodes_.size()) return no_node;
  const auto first_child = static_cast<std::uint32_t>(nodes_.size());
  const auto made = static_cast<std::uint32_t>(forks_.size());
  nodes_.insert(nodes_.end(), branching, node_record{made, none, none});
  forks_.push_back({index_of(parent), first_child, branching, none});

  node_record& forker = nodes_[index_of(parent)];
  if (forker.first_fork == none) forker.first_fork = made;
  else forks_[forker.last_fork].next = made;
  forker.last_fork = made;
  return tree_node{first_child};
}

tree_node task_tree::parent(tree_node node) const noexcept {
  return node == tree_root ? no_node : tree_node{forks_[at(node).born_in].parent};
}

sibling_position task_tree::position(tree_node node) const noexcept {
  if (node == tree_root) return {};
  const fork_record& birth = forks_[at(node).born_in];
  return {index_of(node) - birth.first_child, birth.branching};
}

std::uint32_t task_tree::depth(tree_node node) const noexcept {
  std::uint32_t steps = 0;
  for (; node != tree_root; node = parent(node)) ++steps;
  return steps;
}

bool task_tree::same_shape(const task_tree& other) const {
  if (nodes_.size() != other.nodes_.size() || forks_.size() != other.forks_.size()) return false;
  std::vector<std::pair<tree_node, tree_node>> to_compare{{tree_root, tree_root}};
  while (!to_compare.empty()) {
    const auto [mine, theirs] = to_compare.back();
    to_compare.pop_back();
    auto a = at(mine).first_fork;
    auto b = other.at(theirs).first_fork;
    for (; a != none && b != none; a = forks_[a].next, b = other.forks_[b].next) {
      if (forks_[a].branching != other.forks_[b].branching) return false;
      for (std::uint32_t i = 0; i < forks_[a].branching; ++i)
        to_compare.emplace_back(tree_node{forks_[a].first_child + i}, tree_node{other.forks_[b].first_child + i});
    }
    if (a != b) return false;  // one of the two forks again
  }
  return true;
}

}  // namespace nearfork

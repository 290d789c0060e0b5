// The tree of tasks of one iteration of a region: which task forked which.
//
// A task is known by its position: the i-th of b children of its parent's k-th fork. The papers write positions as
// strings, such as S_1_3_2. Here they are nodes, so that finding a child costs an index and not a hash. A task may fork
// several times, one after the other (sort both halves, then merge in parallel).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace nearfork {

/// Dense numbers; a parent always comes before its children.
enum class tree_node : std::uint32_t {};
inline constexpr tree_node tree_root{0};
inline constexpr tree_node no_node{std::numeric_limits<std::uint32_t>::max()};

[[nodiscard]] constexpr std::uint32_t index_of(tree_node node) noexcept {
  return static_cast<std::uint32_t>(node);
}

/// The position of a task among its siblings: the i-th (from 0) of b.
struct sibling_position {
  std::uint32_t index = 0;
  std::uint32_t branching = 1;
  friend constexpr bool operator==(sibling_position, sibling_position) = default;
};

class task_tree {
 public:
  static constexpr std::size_t unbounded = index_of(no_node);

  /// A tree whose root has not forked.
  explicit task_tree(std::size_t most_nodes = unbounded);

  /// Adds the next fork of `parent`, into `branching` (at least 1) children. Returns the first child; the others follow
  /// it. If the tree would have too many nodes, returns no_node and adds nothing.
  tree_node try_fork(tree_node parent, std::uint32_t branching);

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool is_leaf(tree_node node) const noexcept { return at(node).first_fork == none; }
  /// no_node for the root.
  [[nodiscard]] tree_node parent(tree_node node) const noexcept;
  [[nodiscard]] sibling_position position(tree_node node) const noexcept;
  [[nodiscard]] std::uint32_t depth(tree_node node) const noexcept;

  /// Calls visit(first child, branching) for each fork of `node`, in order.
  template <class Visit>
  void for_each_fork(tree_node node, Visit&& visit) const {
    for (auto i = at(node).first_fork; i != none; i = forks_[i].next)
      visit(tree_node{forks_[i].first_child}, forks_[i].branching);
  }
  /// Calls visit(child) for each child of each fork, in order.
  template <class Visit>
  void for_each_child(tree_node node, Visit&& visit) const {
    for_each_fork(node, [&](tree_node first, std::uint32_t branching) {
      for (std::uint32_t i = 0; i < branching; ++i) visit(tree_node{index_of(first) + i});
    });
  }

  /// True if both trees have the same positions; the order in which they were added does not matter.
  [[nodiscard]] bool same_shape(const task_tree& other) const;

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct node_record {
    std::uint32_t born_in;  // the fork that made it
    std::uint32_t first_fork;
    std::uint32_t last_fork;
  };
  struct fork_record {
    std::uint32_t parent;
    std::uint32_t first_child;
    std::uint32_t branching;
    std::uint32_t next;  // the parent's next fork
  };

  [[nodiscard]] const node_record& at(tree_node n) const noexcept { return nodes_[index_of(n)]; }

  std::vector<node_record> nodes_;
  std::vector<fork_record> forks_;
  std::size_t most_nodes_;
};

}  // namespace nearfork

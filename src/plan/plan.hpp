// A plan: for the few tasks at and above the subtree roots, where they run and in which order they are spawned.
//
// Below a subtree root a plan says nothing: tasks there cost no look-up. Above, a fork costs one: the children of a fork lie side by
// side, so the i-th child is the i-th element of a span.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "plan/task_tree.hpp"

namespace nearfork {

/// Which of a domain's pools holds a task: BATS's high- and low-localized subgraphs; LAWS has only the high one.
enum class pool_class : std::uint8_t { high, low };

/// What a task does with its children: run one and leave the others to thieves, or send all to pools and wait.
enum class spawn_order : std::uint8_t { child_first, parent_first };

/// No particular domain: that of the worker that forks.
inline constexpr std::uint16_t any_domain = std::numeric_limits<std::uint16_t>::max();

/// What a plan says about one task.
struct placement {
  std::uint16_t domain = any_domain;
  pool_class pool = pool_class::high;
  spawn_order children = spawn_order::child_first;  // how this task spawns its own
  bool subtree_root = false;                        // nothing is planned below this task
  friend constexpr bool operator==(const placement&, const placement&) = default;
};

class plan;

/// A planned task. Its address is valid as long as its plan.
struct plan_node {
  placement where;
  std::uint32_t first_fork;  // of plan::forks_; plan::none if it does not fork, or nothing is planned below
};

class plan {
 public:
  /// Says nothing about any task.
  plan() = default;
  /// Walks down from the root and asks `decide` about every task that no subtree root stands above.
  using decision = std::function<placement(tree_node)>;
  plan(const task_tree& tree, const decision& decide);

  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
  /// How many tasks it says something about.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  /// nullptr: the plan is empty.
  [[nodiscard]] const plan_node* root() const noexcept { return nodes_.empty() ? nullptr : nodes_.data(); }
  [[nodiscard]] std::span<const plan_node> nodes() const noexcept { return nodes_; }

 private:
  friend class plan_cursor;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct fork {
    std::uint32_t first_child;
    std::uint32_t branching;
    std::uint32_t next;  // the same task's next fork
  };
  struct copying;

  std::vector<plan_node> nodes_;
  std::vector<fork> forks_;
};

/// Where a running task stands in a plan: at a task above the subtree roots, before its next fork. Copied into the task's
/// frame; the plan must outlive it.
class plan_cursor {
 public:
  /// Beside any plan, or inside a subtree: every fork is unplanned.
  plan_cursor() = default;
  explicit plan_cursor(const plan& whole) noexcept : plan_cursor(whole, whole.root()) {}
  /// A task that was reached as one of next_fork()'s nodes.
  plan_cursor(const plan& whole, const plan_node* node) noexcept {
    if (node == nullptr || node->where.subtree_root) return;
    plan_ = &whole;
    next_fork_ = node->first_fork;
  }

  /// True above the subtree roots, unless the task has strayed.
  [[nodiscard]] bool planned() const noexcept { return plan_ != nullptr; }

  /// The task forks into `branching` children: what the plan says about each, or nothing. A fork that the plan does
  /// not foresee ends the planning of this task, and strayed() says so: the tree has changed its shape.
  [[nodiscard]] std::span<const plan_node> next_fork(std::uint32_t branching) noexcept {
    if (!planned()) return {};
    if (next_fork_ == plan::none || plan_->forks_[next_fork_].branching != branching) return stray();
    const plan::fork& foreseen = plan_->forks_[next_fork_];
    next_fork_ = foreseen.next;
    return {plan_->nodes_.data() + foreseen.first_child, branching};
  }

  /// The task has forked as it should not have, or, once it is done, not as often as it should have.
  [[nodiscard]] bool strayed() const noexcept { return strayed_; }
  [[nodiscard]] bool forks_missing() const noexcept { return planned() && next_fork_ != plan::none; }

 private:
  std::span<const plan_node> stray() noexcept {
    strayed_ = true;
    plan_ = nullptr;
    return {};
  }

  const plan* plan_ = nullptr;
  std::uint32_t next_fork_ = plan::none;
  bool strayed_ = false;
};

}  // namespace nearfork

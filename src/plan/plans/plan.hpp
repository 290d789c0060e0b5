// A plan: where the few tasks at and above the subtree roots run, and in which order they are spawned.
//
// Below a subtree root a plan says nothing, so tasks there cost no look-up. Above the roots a fork costs one look-up.
// In a plan from a profile the children of a fork are contiguous, so the i-th child is the i-th element of a span. In a
// plan from a rule they are computed.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plan/plans/data_parts.hpp"
#include "plan/plans/fork_sending.hpp"
#include "plan/plans/placement.hpp"
#include "plan/plans/placement_rule.hpp"
#include "plan/plans/plan_explanation.hpp"
#include "plan/profile/task_tree.hpp"
#include "plan/profile/trial_id.hpp"

namespace nearfork {

/// A planned task. Its address is valid as long as its plan.
struct plan_node {
  placement where;
  std::uint32_t first_fork;  // the plan's own number of it
};

/// How a plan relates to other plans of its policy.
struct plan_standing {
  /// Which of the plans that the policy compares this one is.
  trial_id trial{};
  /// The policy would give the same plan after every further iteration, so it need not be asked again. If it is a first
  /// plan, no iteration need be profiled.
  bool settled = false;
  friend constexpr bool operator==(plan_standing, plan_standing) = default;
};

class plan {
 public:
  /// An empty plan: it says nothing about any task.
  plan() = default;
  /// A plan for a known tree: walks down from the root and asks `decide` about each task that is not below a subtree
  /// root.
  using decision = std::function<placement(tree_node)>;
  plan(const task_tree& tree, const decision& decide);
  /// A plan for an unknown tree.
  explicit plan(placement_rule rule);

  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
  /// nullptr: the plan is empty.
  [[nodiscard]] const plan_node* root() const noexcept { return nodes_.empty() ? nullptr : nodes_.data(); }
  /// All tasks that the plan names, the root first. For a plan from a rule, only the root.
  [[nodiscard]] std::span<const plan_node> nodes() const noexcept { return nodes_; }

  /// From now on the root's forks run forward and backward in turn, and all planned forks below run in the direction of
  /// their root's fork. So a sweep over the data begins where the last one ended, in what the caches kept.
  void turn_back() noexcept { turns_back_ = true; }
  [[nodiscard]] bool turns_back() const noexcept { return turns_back_; }
  /// Each iteration begins in `domain`, and not where the last one happened to end. If subtrees have no homes, only
  /// this brings them back to the same place: the first subtree runs where its forks were made, and the next one goes
  /// to the next awake worker. For search orders in which workers take from their own low pool at any time.
  void begin_in(std::uint16_t domain) noexcept { begins_in_ = domain; }
  [[nodiscard]] std::uint16_t begins_in() const noexcept { return begins_in_; }  // any_domain: not said

  /// How many subtrees are homed in `domain`. 0 for a plan from a rule, where that is not known.
  [[nodiscard]] std::uint32_t subtrees_at_home_in(std::uint32_t domain) const noexcept {
    return domain < at_home_.size() ? at_home_[domain] : 0;
  }
  /// How many forks the root makes. 0 for a plan from a rule, where that is not known.
  [[nodiscard]] std::uint32_t root_forks() const noexcept;

  /// While an iteration runs under this plan, workers of domain i without work may take work of other domains only if
  /// may_cross[i]. For search orders with step_conditions::may_cross. Empty: all may.
  void let_cross(std::vector<bool> may_cross) { may_cross_ = std::move(may_cross); }
  [[nodiscard]] bool may_cross(std::uint32_t domain) const noexcept {
    return domain >= may_cross_.size() || may_cross_[domain];
  }

  /// Adds what the policy tells about the plan. Does not change what the plan says about tasks.
  void describe(plan_standing standing, plan_explanation why) {
    standing_ = standing;
    why_ = std::move(why);
  }
  /// Calls change(plan_explanation&): what is told is changed in part.
  template <class Change>
  void retell(const Change& change) {
    change(why_);
  }
  [[nodiscard]] plan_standing standing() const noexcept { return standing_; }
  [[nodiscard]] const plan_explanation& why() const noexcept { return why_; }

  /// An iteration under this plan shall tell how near their data its subtrees ran (subtree_traffic).
  void locate() noexcept { locates_ = true; }
  [[nodiscard]] bool locates() const noexcept { return locates_; }

  /// Where the region's data should lie; an empty plan may say that, too. A rule with borders says it by itself.
  void place_data(data_parts parts) { data_ = std::move(parts); }
  /// Domain i works on [borders[i], borders[i + 1]) of the data, so these bytes should lie there.
  void place_data(std::vector<double> borders) { data_ = {.borders = std::move(borders)}; }
  [[nodiscard]] const data_parts& data() const noexcept { return data_; }

 private:
  friend class plan_cursor;
  friend class planned_fork;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct fork {
    std::uint32_t first_child;
    std::uint32_t branching;
    std::uint32_t next;  // the next fork of the same task
  };
  struct copying;
  void add_at_home(std::uint16_t domain);

  std::vector<plan_node> nodes_;
  std::vector<fork> forks_;
  std::vector<std::uint32_t> at_home_;  // number of subtrees, by domain
  std::optional<placement_rule> rule_;
  bool turns_back_ = false;
  bool locates_ = false;
  std::uint16_t begins_in_ = any_domain;
  plan_standing standing_{};
  plan_explanation why_{};
  data_parts data_{};
  std::vector<bool> may_cross_{};
};

class planned_fork;

/// The position of a running task in a plan: at a task above the subtree roots, before its next fork. It is copied into
/// the task's frame. The plan must outlive it.
class plan_cursor {
 public:
  /// No position: without a plan, or inside a subtree. Every fork is unplanned.
  plan_cursor() = default;
  explicit plan_cursor(const plan& whole, sweep first = sweep::forward) noexcept
      : plan_cursor(whole, whole.root(), first) {
    if (whole.rule_) rule_position_ = root_position(*whole.rule_);
    turns_ = whole.turns_back_;
  }
  /// The position of a task that was reached as one of next_fork()'s nodes.
  plan_cursor(const plan& whole, const plan_node* node, sweep way = sweep::forward) noexcept : way_(way) {
    if (node == nullptr || node->where.subtree_root) return;
    plan_ = &whole;
    next_fork_ = node->first_fork;
  }

  /// True above the subtree roots, unless the task has strayed.
  [[nodiscard]] bool planned() const noexcept { return plan_ != nullptr; }

  /// The task forks into `branching` children: returns what the plan says about each, or an empty fork. A fork that the
  /// plan does not foresee ends the planning of this task, and strayed() becomes true: the tree has changed its shape.
  [[nodiscard]] planned_fork fork(std::uint32_t branching) noexcept;

  /// As fork(), for a plan from a profile; empty for a plan from a rule.
  [[nodiscard]] std::span<const plan_node> next_fork(std::uint32_t branching) noexcept {
    if (!planned() || plan_->rule_) return {};
    if (next_fork_ == plan::none || plan_->forks_[next_fork_].branching != branching) return stray();
    const plan::fork& foreseen = plan_->forks_[next_fork_];
    next_fork_ = foreseen.next;
    return {plan_->nodes_.data() + foreseen.first_child, branching};
  }

  /// True if the task forked otherwise than planned, or, after it is done, less often than planned.
  [[nodiscard]] bool strayed() const noexcept { return strayed_; }
  [[nodiscard]] bool forks_missing() const noexcept { return planned() && next_fork_ != plan::none; }

 private:
  friend class planned_fork;
  plan_cursor(const plan& whole, const rule_position& position, bool subtree_root) noexcept
      : plan_(subtree_root ? nullptr : &whole), rule_position_(position) {}

  std::span<const plan_node> stray() noexcept {
    strayed_ = true;
    plan_ = nullptr;
    return {};
  }

  const plan* plan_ = nullptr;
  std::uint32_t next_fork_ = plan::none;
  bool strayed_ = false;
  bool turns_ = false;  // changes its direction at each fork
  sweep way_ = sweep::forward;
  rule_position rule_position_{};
};

/// The children of one fork, as a plan places them. Empty: the plan says nothing.
class planned_fork {
 public:
  struct child {
    placement where;
    plan_cursor cursor;
  };

  [[nodiscard]] bool empty() const noexcept { return plan_ == nullptr; }
  [[nodiscard]] sweep way() const noexcept { return way_; }
  /// How a task of which the plan says `forker` sends these `branching` children.
  [[nodiscard]] fork_sending sending(const placement& forker, std::uint32_t branching) const noexcept {
    return {branching, way_, empty() ? spawn_order::child_first : forker.children};
  }
  /// The i-th of the `branching` children. The fork must not be empty.
  [[nodiscard]] child at(std::uint32_t i) const noexcept {
    if (!nodes_.empty()) return {nodes_[i].where, plan_cursor(*plan_, &nodes_[i], way_)};
    const rule_position position = child_position(parent_, {i, branching_});
    const placement where = place(*plan_->rule_, position);
    return {where, plan_cursor(*plan_, position, where.subtree_root)};
  }

 private:
  friend class plan_cursor;
  planned_fork() = default;
  planned_fork(const plan& whole, std::span<const plan_node> nodes, sweep way) noexcept
      : plan_(&whole), nodes_(nodes), way_(way) {}
  planned_fork(const plan& whole, const rule_position& parent, std::uint32_t branching) noexcept
      : plan_(&whole), parent_(parent), branching_(branching) {}

  const plan* plan_ = nullptr;
  std::span<const plan_node> nodes_;
  sweep way_ = sweep::forward;
  rule_position parent_{};
  std::uint32_t branching_ = 0;
};

inline planned_fork plan_cursor::fork(std::uint32_t branching) noexcept {
  if (!planned()) return {};
  const plan& whole = *plan_;
  if (whole.rule_) return {whole, rule_position_, branching};
  const std::span<const plan_node> nodes = next_fork(branching);
  if (nodes.empty()) return {};
  const sweep way = way_;
  if (turns_) way_ = turned(way);
  return {whole, nodes, way};
}

}  // namespace nearfork

// Where the children of a fork go, in which order, and whether the forking task goes on meanwhile. The runtime and the
// simulator both ask here: they push, wait and count, and decide nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/plans/placement.hpp"

namespace nearfork {

/// What a driver must do for a spawn order.
struct spawn_rule {
  bool to_pools =
      false;            // children are sent to the pools that the plan names; otherwise to the forking task's own deque
  bool goes_on = true;  // the forking task runs its first child itself; otherwise it sends all, and waits
};
[[nodiscard]] constexpr spawn_rule rule_of(spawn_order order) noexcept {
  switch (order) {
    case spawn_order::child_first: break;
    case spawn_order::parent_first: return {.to_pools = true, .goes_on = false};
    case spawn_order::others_to_pools: return {.to_pools = true, .goes_on = true};
  }
  return {};
}

/// The domain that a plan means: a crew with fewer domains than the plan knows begins again from the first.
[[nodiscard]] constexpr std::uint32_t domain_meant(std::uint16_t planned, std::uint32_t domains) noexcept {
  return planned % domains;
}

struct pool_target {
  std::uint32_t domain = 0;
  pool_class pool = pool_class::high;
  friend constexpr bool operator==(pool_target, pool_target) = default;
};
/// The pool that a child is sent to by a worker of the domain `sender`.
[[nodiscard]] constexpr pool_target target_of(const placement& child, std::uint32_t sender,
                                              std::uint32_t domains) noexcept {
  return {child.domain == any_domain ? sender : domain_meant(child.domain, domains), child.pool};
}

/// The domain in which a child that was sent, or is about to run, need not be waited for any longer: see
/// step_conditions::own_have_come. nullopt: no domain waits for the child.
[[nodiscard]] constexpr std::optional<std::uint32_t> awaited_in(const placement& child,
                                                                std::uint32_t domains) noexcept {
  if (!child.subtree_root || child.domain == any_domain) return std::nullopt;
  return domain_meant(child.domain, domains);
}

/// The children of one fork. Each has a turn: without steals they run in the order of their turns.
class fork_sending {
 public:
  constexpr fork_sending(std::uint32_t branching, sweep way, spawn_order order) noexcept
      : branching_(branching), way_(way), rule_(rule_of(order)) {}

  [[nodiscard]] constexpr std::uint32_t child_at(std::uint32_t turn) const noexcept {
    return way_ == sweep::forward ? turn : branching_ - 1 - turn;
  }
  [[nodiscard]] constexpr std::uint32_t turn_of(std::uint32_t child) const noexcept { return child_at(child); }

  [[nodiscard]] constexpr bool to_pools() const noexcept { return rule_.to_pools; }
  [[nodiscard]] constexpr bool goes_on() const noexcept { return rule_.goes_on; }
  /// The children with this turn and later ones are sent; those before it run in the forking task.
  [[nodiscard]] constexpr std::uint32_t first_sent() const noexcept { return rule_.goes_on ? 1 : 0; }
  /// Calls send(turn), the last turn first, so that a worker that takes the newest gets the earliest turn.
  template <class Send>
  constexpr void for_each_sent(Send&& send) const {
    for (std::uint32_t turn = branching_; turn-- > first_sent();) send(turn);
  }

 private:
  std::uint32_t branching_;
  sweep way_;
  spawn_rule rule_;
};

}  // namespace nearfork

// Where a free worker looks for work: data that the worker loop and the simulator interpret.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "plan/search/pool_item.hpp"

namespace nearfork {

/// A place that may hold work.
enum class look : std::uint8_t {
  own_deque,
  same_domain,    // the deques of the other workers of the domain
  own_high_pool,  // the domain's pool of subtrees homed here (LAWS: the CF task pool)
  own_weak_pool,  // of subtrees homed here although most of their data lie elsewhere
  own_low_pool,   // the domain's pool of subtrees without a home, and of work sent to no place
  remote_low_pools,
  remote_weak_pools,
  remote_high_pools,
  any_deque,  // the deques of all other workers
  injector,   // roots from outside
};
inline constexpr std::size_t looks = 10;
[[nodiscard]] std::string_view name_of(look where) noexcept;

/// In which order a step with several victims asks them.
enum class victim_spread : std::uint8_t {
  random,
  by_distance,
  other_side_first,  // workers in domains of the other core_sides, then those of the own side
};

/// Conditions of a step: which worker may take it, and when. All must hold.
struct step_conditions {
  bool head_only : 1 = false;            // only the first worker of its domain
  bool domain_free : 1 = false;          // only if the domain is not busy, see is_busy()
  bool not_while_profiling : 1 = false;  // only while no region is in its profiling iteration
  bool own_have_come : 1 = false;        // only once all subtrees homed here have reached their domain's pool
  bool not_while_planned : 1 = false;    // only while no region is in progress under a plan that is not empty
  bool rather_than_sleep : 1 = false;    // only after the worker has searched as long as it may, and would park now
  bool may_cross : 1 = false;            // only if plan and empty pool let the domain take work of others, see searcher
  bool while_work_abounds : 1 = false;   // only while many deques or pools have work, see work_abounds()
  friend constexpr bool operator==(step_conditions, step_conditions) = default;
};

struct search_step {
  look where = look::own_deque;
  victim_spread spread = victim_spread::random;
  pool_item item = pool_item::oldest;  // a thief always gets the oldest job of a deque, and of the injector
  step_conditions only{};
  friend constexpr bool operator==(search_step, search_step) = default;
};

/// What happens in a domain.
struct domain_load {
  std::uint32_t subtrees_in_progress = 0;
  std::uint32_t working = 0;  // workers that have any work; a searching worker has none
};

/// A subtree keeps its domain busy while a worker of the domain has work. If none has, the whole subtree waits, perhaps
/// for tasks that are only in pools: a region inside the subtree sends its own subtrees there. Without this exception
/// two domains could wait for each other's pools forever.
[[nodiscard]] constexpr bool is_busy(domain_load now) noexcept {
  return now.subtrees_in_progress > 0 && now.working > 0;
}

/// What the conditions of a step ask about.
struct searcher {
  bool is_head = false;
  bool domain_busy = false;
  bool own_to_come = false;
  bool profiling = false;
  bool planned = false;
  bool would_sleep = false;
  bool may_cross = false;     // a plan is followed that lets the domain, whose high pool is empty, take work of others
  bool work_abounds = false;  // needs to be known only if asks_for_abundance()
};

[[nodiscard]] constexpr bool is_pool(look where) noexcept {
  return where == look::own_high_pool || where == look::own_weak_pool || where == look::own_low_pool ||
         where == look::remote_high_pools || where == look::remote_weak_pools || where == look::remote_low_pools;
}

/// The conditions that hold for this searcher.
[[nodiscard]] constexpr step_conditions met_by(searcher who) noexcept {
  return {.head_only = who.is_head,
          .domain_free = !who.domain_busy,
          .not_while_profiling = !who.profiling,
          .own_have_come = !who.own_to_come,
          .not_while_planned = !who.planned,
          .rather_than_sleep = who.would_sleep,
          .may_cross = who.may_cross,
          .while_work_abounds = who.work_abounds};
}
/// True if each condition of `only` is in `met`. In the simulator searches among a thousand workers spent most of their
/// time on conditions that were tested one by one.
[[nodiscard]] constexpr bool are_met(step_conditions only, step_conditions met) noexcept {
  static_assert(sizeof(step_conditions) == 1);
  return (std::bit_cast<std::uint8_t>(only) & ~std::bit_cast<std::uint8_t>(met)) == 0;
}
[[nodiscard]] constexpr bool applies(step_conditions only, searcher who) noexcept {
  return are_met(only, met_by(who));
}

/// Steps in the order in which they are tried. A value of fixed size: copying it into a worker allocates nothing.
class search_order {
 public:
  static constexpr std::size_t most_steps = 15;

  constexpr search_order() = default;
  constexpr search_order(std::initializer_list<search_step> steps) noexcept {
    for (const search_step& step : steps) add(step);
  }

  constexpr void add(search_step step) noexcept {
    assert(count_ < most_steps);
    assert(step.item == pool_item::oldest || is_pool(step.where));
    steps_[count_++] = step;
  }
  [[nodiscard]] constexpr std::span<const search_step> steps() const noexcept { return {steps_.data(), count_}; }

  friend constexpr bool operator==(const search_order& one, const search_order& other) noexcept {
    return one.count_ == other.count_ && one.steps_ == other.steps_;
  }

 private:
  std::array<search_step, most_steps> steps_{};
  std::uint8_t count_ = 0;
};

/// True if a step that looks into pools has a condition.
[[nodiscard]] bool pools_have_conditions(const search_order& order) noexcept;

/// True if a step is taken only while work abounds.
[[nodiscard]] bool asks_for_abundance(const search_order& order) noexcept;

/// True if all workers look into all low pools while no region is profiled or planned. High pools are empty then.
[[nodiscard]] bool low_pools_are_open(const search_order& order) noexcept;

/// Names a place with work that no worker would look into once every domain is free and no region is profiled or
/// planned. Empty: `order` reaches all work. Deques count as reached if a worker looks at its own domain's and at all
/// others'.
[[nodiscard]] std::string_view unreachable_place(const search_order& order) noexcept;

}  // namespace nearfork

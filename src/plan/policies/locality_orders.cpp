#include "plan/policies/locality_orders.hpp"

#include <initializer_list>

namespace nearfork {
namespace {

constexpr victim_spread nearest_first = victim_spread::by_distance;
constexpr step_conditions unplanned{.not_while_planned = true};
constexpr step_conditions head_of_free_domain{.head_only = true, .domain_free = true};
constexpr step_conditions at_home_first{.not_while_profiling = true};

/// The domain's pool of subtrees: the newest first, because forks above the subtree roots are parent-first.
constexpr search_step own_subtrees(step_conditions only) noexcept {
  return {.where = look::own_high_pool, .item = pool_item::newest, .only = only};
}

/// In the profiling iteration every worker takes its domain's subtrees.
constexpr search_step own_subtrees(phase now) noexcept {
  return own_subtrees(now == phase::profiling ? step_conditions{} : head_of_free_domain);
}

constexpr search_step nearest(look where, step_conditions only) noexcept {
  return {.where = where, .spread = nearest_first, .only = only};
}

constexpr search_step begun_in_domain{.where = look::same_domain};

/// What the worker has begun; then `more`; then roots from outside.
search_order after_own_work(std::initializer_list<search_step> more) {
  search_order order{
      {.where = look::own_deque},
      {.where = look::own_low_pool, .item = pool_item::newest},
  };
  for (const search_step& step : more) order.add(step);
  order.add({.where = look::injector});
  return order;
}

search_order bitier_order(const search_step& own, step_conditions remote) {
  return after_own_work({
      begun_in_domain,
      own,
      nearest(look::remote_high_pools, remote),
      nearest(look::any_deque, unplanned),
      nearest(look::remote_low_pools, unplanned),
  });
}

}  // namespace

search_order bitier_order() {
  return bitier_order(own_subtrees(head_of_free_domain), head_of_free_domain);
}

search_order traditional_bitier_order() {
  const search_order bitier = bitier_order();
  search_order order;
  for (const search_step& step : bitier.steps()) {
    if (step.where == look::same_domain) order.add({.where = look::any_deque, .only = unplanned});
    if (step.where != look::any_deque) order.add(step);
  }
  return order;
}

search_order even_bitier_order(phase now) {
  step_conditions remote = head_of_free_domain;
  remote.not_while_profiling = true;
  return bitier_order(own_subtrees(now), remote);
}

search_order triple_level_order(phase now) {
  return after_own_work({
      begun_in_domain,
      own_subtrees(now),
      nearest(look::remote_low_pools, at_home_first),
      nearest(look::remote_high_pools,
              {.head_only = true, .domain_free = true, .not_while_profiling = true, .own_have_come = true}),
      nearest(look::any_deque, {.not_while_profiling = true, .not_while_planned = true}),
  });
}

search_order selective_order(phase now, crossing_limits limits) {
  const auto limited = [limits](step_conditions only) {
    only.may_cross = true;
    only.while_work_abounds = limits == crossing_limits::plan_and_abundance;
    return only;
  };
  const search_order triple_level = triple_level_order(now);
  search_order order;
  for (search_step step : triple_level.steps()) {
    if (step.where != look::remote_high_pools) {
      order.add(step);
      continue;
    }
    step.only = limited(step.only);
    order.add(step);
    order.add({.where = look::any_deque,
               .spread = victim_spread::other_side_first,
               .only = limited({.domain_free = true, .not_while_profiling = true, .own_have_come = true})});
  }
  return order;
}

search_order home_order() {
  constexpr step_conditions own_first{.not_while_profiling = true, .own_have_come = true};
  return after_own_work({
      begun_in_domain,
      own_subtrees(step_conditions{}),
      nearest(look::remote_low_pools, at_home_first),
      nearest(look::remote_high_pools, own_first),
      nearest(look::any_deque, own_first),
  });
}

search_order own_caches_order() {
  return after_own_work({
      {.where = look::own_high_pool, .item = pool_item::own_place},
      begun_in_domain,
      nearest(look::remote_low_pools, at_home_first),
      nearest(look::remote_high_pools, {.head_only = true, .not_while_profiling = true, .own_have_come = true}),
      nearest(look::any_deque, {.not_while_profiling = true, .not_while_planned = true}),
  });
}

search_order five_level_order() {
  constexpr step_conditions with_homes{.own_have_come = true, .may_cross = true};
  return after_own_work({
      {.where = look::own_high_pool, .item = pool_item::own_place},
      {.where = look::own_weak_pool, .item = pool_item::own_place},
      begun_in_domain,
      {.where = look::remote_low_pools, .only = {.may_cross = true}},
      {.where = look::remote_weak_pools, .only = with_homes},
      {.where = look::remote_high_pools, .only = with_homes},
      {.where = look::any_deque, .only = with_homes},
      {.where = look::any_deque, .only = unplanned},
      {.where = look::remote_low_pools, .only = unplanned},
  });
}

}  // namespace nearfork

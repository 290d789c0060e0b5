#include "plan/policies/locality_orders.hpp"

namespace nearfork {
namespace {

constexpr victim_spread nearest_first = victim_spread::by_distance;

}  // namespace

search_order bitier_order() {
  constexpr step_conditions head_of_free_domain{.head_only = true, .domain_free = true};
  constexpr step_conditions unplanned{.not_while_planned = true};
  return {
      {.where = look::own_deque},
      {.where = look::own_low_pool, .from = work_end::newest},
      {.where = look::same_domain},
      {.where = look::own_high_pool, .from = work_end::newest, .only = head_of_free_domain},
      {.where = look::remote_high_pools, .spread = nearest_first, .only = head_of_free_domain},
      {.where = look::any_deque, .spread = nearest_first, .only = unplanned},
      {.where = look::remote_low_pools, .spread = nearest_first, .only = unplanned},
      {.where = look::injector},
  };
}

search_order traditional_bitier_order() {
  constexpr step_conditions head_of_free_domain{.head_only = true, .domain_free = true};
  constexpr step_conditions unplanned{.not_while_planned = true};
  return {
      {.where = look::own_deque},
      {.where = look::own_low_pool, .from = work_end::newest},
      {.where = look::any_deque, .only = unplanned},
      {.where = look::same_domain},
      {.where = look::own_high_pool, .from = work_end::newest, .only = head_of_free_domain},
      {.where = look::remote_high_pools, .spread = nearest_first, .only = head_of_free_domain},
      {.where = look::remote_low_pools, .spread = nearest_first, .only = unplanned},
      {.where = look::injector},
  };
}

search_order even_bitier_order(phase now) {
  const bool profiling = now == phase::profiling;
  const step_conditions own{.head_only = !profiling, .domain_free = !profiling};
  constexpr step_conditions head_of_free_domain{.head_only = true, .domain_free = true, .not_while_profiling = true};
  constexpr step_conditions unplanned{.not_while_planned = true};
  return {
      {.where = look::own_deque},
      {.where = look::own_low_pool, .from = work_end::newest},
      {.where = look::same_domain},
      {.where = look::own_high_pool, .from = work_end::newest, .only = own},
      {.where = look::remote_high_pools, .spread = nearest_first, .only = head_of_free_domain},
      {.where = look::any_deque, .spread = nearest_first, .only = unplanned},
      {.where = look::remote_low_pools, .spread = nearest_first, .only = unplanned},
      {.where = look::injector},
  };
}

search_order triple_level_order(phase now) {
  const bool profiling = now == phase::profiling;
  const step_conditions own{.head_only = !profiling, .domain_free = !profiling};
  constexpr step_conditions at_home_first{.not_while_profiling = true};
  constexpr step_conditions remote{
      .head_only = true, .domain_free = true, .not_while_profiling = true, .own_have_come = true};
  constexpr step_conditions unplanned{.not_while_profiling = true, .not_while_planned = true};
  return {
      {.where = look::own_deque},
      {.where = look::own_low_pool, .from = work_end::newest},
      {.where = look::same_domain},
      {.where = look::own_high_pool, .from = work_end::newest, .only = own},
      {.where = look::remote_low_pools, .spread = nearest_first, .only = at_home_first},
      {.where = look::remote_high_pools, .spread = nearest_first, .only = remote},
      {.where = look::any_deque, .spread = nearest_first, .only = unplanned},
      {.where = look::injector},
  };
}

search_order selective_order(phase now, crossing_limits limits) {
  const bool profiling = now == phase::profiling;
  const bool abundance = limits == crossing_limits::plan_and_abundance;
  const step_conditions own{.head_only = !profiling, .domain_free = !profiling};
  constexpr step_conditions at_home_first{.not_while_profiling = true};
  const step_conditions remote{.head_only = true,
                               .domain_free = true,
                               .not_while_profiling = true,
                               .own_have_come = true,
                               .may_cross = true,
                               .while_work_abounds = abundance};
  const step_conditions any{
      .not_while_profiling = true, .own_have_come = true, .may_cross = true, .while_work_abounds = abundance};
  constexpr step_conditions unplanned{.not_while_profiling = true, .not_while_planned = true};
  return {
      {.where = look::own_deque},
      {.where = look::own_low_pool, .from = work_end::newest},
      {.where = look::same_domain},
      {.where = look::own_high_pool, .from = work_end::newest, .only = own},
      {.where = look::remote_low_pools, .spread = nearest_first, .only = at_home_first},
      {.where = look::remote_high_pools, .spread = nearest_first, .only = remote},
      {.where = look::any_deque, .spread = victim_spread::other_side_first, .only = any},
      {.where = look::any_deque, .spread = nearest_first, .only = unplanned},
      {.where = look::injector},
  };
}

search_order home_order() {
  constexpr step_conditions at_home_first{.not_while_profiling = true};
  constexpr step_conditions own_first{.not_while_profiling = true, .own_have_come = true};
  return {
      {.where = look::own_deque},
      {.where = look::own_low_pool, .from = work_end::newest},
      {.where = look::same_domain},
      {.where = look::own_high_pool, .from = work_end::newest},
      {.where = look::remote_low_pools, .spread = nearest_first, .only = at_home_first},
      {.where = look::remote_high_pools, .spread = nearest_first, .only = own_first},
      {.where = look::any_deque, .spread = nearest_first, .only = own_first},
      {.where = look::injector},
  };
}

}  // namespace nearfork

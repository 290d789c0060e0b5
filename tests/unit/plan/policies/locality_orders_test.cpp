#include "plan/policies/locality_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plan/policies/random_policy.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/search/opened_places.hpp"

namespace nearfork {
namespace {

std::vector<look> open_to(const search_order& order, searcher who) {
  std::vector<look> open;
  for (const search_step& step : order.steps())
    if (applies(step.only, who)) open.push_back(step.where);
  return open;
}

const std::vector<look> in_progress_first{look::own_deque, look::own_low_pool, look::same_domain};

TEST(locality_orders, leave_no_place_unsearched) {
  for (const search_order& order : {bitier_order(), traditional_bitier_order(), even_bitier_order(phase::running),
                                    triple_level_order(phase::running), triple_level_order(phase::profiling),
                                    home_order(), own_caches_order(), five_level_order()})
    EXPECT_EQ(unreachable_place(order), "");
}

TEST(locality_orders, take_what_is_in_progress_first_and_roots_from_outside_last) {
  for (const search_order& order :
       {bitier_order(), triple_level_order(phase::running), triple_level_order(phase::profiling), home_order()}) {
    for (std::size_t i = 0; i < in_progress_first.size(); ++i) {
      EXPECT_EQ(order.steps()[i].where, in_progress_first[i]);
      EXPECT_EQ(order.steps()[i].only, step_conditions{}) << "work in progress waits for nobody";
    }
    EXPECT_EQ(order.steps().back(), (search_step{.where = look::injector}));
  }
}

TEST(locality_orders, ask_remote_victims_nearest_first) {
  for (const search_order& order : {bitier_order(), triple_level_order(phase::running), home_order()})
    for (const search_step& step : order.steps()) {
      const bool remote = step.where == look::remote_high_pools || step.where == look::remote_low_pools ||
                          step.where == look::any_deque;
      EXPECT_EQ(step.spread, remote ? victim_spread::by_distance : victim_spread::random);
    }
}

// Depth-first at home: at most as many parents wait as the tree is deep.
TEST(locality_orders, take_the_newest_from_their_own_pools_and_the_oldest_from_others) {
  for (const search_order& order :
       {bitier_order(), triple_level_order(phase::running), triple_level_order(phase::profiling), home_order()})
    for (const search_step& step : order.steps()) {
      const bool own = step.where == look::own_high_pool || step.where == look::own_low_pool;
      EXPECT_EQ(step.item, own ? pool_item::newest : pool_item::oldest) << name_of(step.where);
    }
}

// So one list of victims per step serves both phases.
TEST(triple_level_order, differs_between_phases_in_conditions_alone) {
  const auto running = triple_level_order(phase::running);
  const auto profiling = triple_level_order(phase::profiling);
  ASSERT_EQ(running.steps().size(), profiling.steps().size());
  for (std::size_t i = 0; i < running.steps().size(); ++i) {
    EXPECT_EQ(running.steps()[i].where, profiling.steps()[i].where);
    EXPECT_EQ(running.steps()[i].spread, profiling.steps()[i].spread);
  }
}

// A-CAB 3.3, LAWS 3.4.
TEST(locality_orders, only_the_head_of_a_free_domain_fetches_subtrees) {
  for (const search_order& order : {bitier_order(), traditional_bitier_order(), even_bitier_order(phase::running),
                                    triple_level_order(phase::running)})
    for (const look where : {look::own_high_pool, look::remote_high_pools}) {
      EXPECT_TRUE(opens(order, {.is_head = true, .planned = true}, where));
      EXPECT_FALSE(opens(order, {.is_head = true, .domain_busy = true, .planned = true}, where));
      EXPECT_FALSE(opens(order, {.is_head = false, .planned = true}, where));
    }
}

// Otherwise a domain could take tasks from the inside of another domain's subtree.
TEST(locality_orders, deques_of_other_domains_are_closed_while_a_plan_is_followed) {
  for (const search_order& order : {bitier_order(), traditional_bitier_order(), even_bitier_order(phase::running),
                                    triple_level_order(phase::running)}) {
    EXPECT_FALSE(opens(order, {.is_head = true, .planned = true}, look::any_deque));
    EXPECT_TRUE(opens(order, {.is_head = false, .domain_busy = true}, look::any_deque));
  }
}

// LAWS 3.4: in the first iteration every core takes from its domain's pool, and no core from another domain's pool.
TEST(triple_level_order, keeps_the_profiling_iteration_at_home) {
  const search_order order = triple_level_order(phase::profiling);
  const searcher other{.is_head = false, .domain_busy = true, .profiling = true, .planned = true};
  EXPECT_TRUE(opens(order, other, look::own_high_pool));
  EXPECT_TRUE(opens(even_bitier_order(phase::profiling), other, look::own_high_pool));
  for (const search_order& any :
       {order, triple_level_order(phase::running), even_bitier_order(phase::profiling), home_order()})
    for (const look where : {look::remote_high_pools, look::remote_low_pools, look::any_deque})
      EXPECT_FALSE(opens(any, {.is_head = true, .profiling = true, .planned = true}, where));
}

TEST(locality_orders, fetch_nobody_elses_subtrees_before_the_own_have_come) {
  for (const search_order& order : {triple_level_order(phase::running), home_order()})
    for (const search_step& step : order.steps())
      if (step.where == look::remote_high_pools) {
        EXPECT_TRUE(applies(step.only, {.is_head = true, .planned = true}));
        EXPECT_FALSE(applies(step.only, {.is_head = true, .own_to_come = true, .planned = true}));
      }
}

// Work without a home must be taken apart first: only then do the subtrees in it come to their homes.
TEST(locality_orders, fetch_what_is_nowhere_at_home_even_while_the_own_are_to_come) {
  for (const search_order& order : {triple_level_order(phase::running), home_order()})
    EXPECT_TRUE(opens(order, {.own_to_come = true, .planned = true}, look::remote_low_pools));
}

// A-CAB 3.1: traditional stealing until something is planned.
TEST(traditional_bitier_order, steals_as_random_while_nothing_is_planned) {
  const search_order plain = random_policy(random_policy::workers::pinned).order(machine_of(1, 1), phase::profiling);
  const search_order order = traditional_bitier_order();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(order.steps()[i].where, plain.steps()[i].where);
    EXPECT_EQ(order.steps()[i].spread, plain.steps()[i].spread);
    EXPECT_TRUE(applies(order.steps()[i].only, {.profiling = true}));
  }
  const std::vector<look> planned = open_to(order, {.is_head = true, .planned = true});
  EXPECT_EQ(planned, open_to(bitier_order(), {.is_head = true, .planned = true}));
}

TEST(home_order, lets_every_worker_help_out) {
  const searcher anyone{.is_head = false, .domain_busy = true, .planned = true};
  for (const look where : {look::own_high_pool, look::remote_high_pools, look::any_deque})
    EXPECT_TRUE(opens(home_order(), anyone, where));
}

// BATS, acceptance case 7.
// A subtree for each worker: nobody waits at its end, and all memories of the domain are read at a time.
TEST(locality_orders, begin_subtrees_before_they_help_with_others_where_a_domain_shares_no_cache) {
  const auto at_own_places = [](const search_order& order) {
    const auto steps = order.steps();
    const auto pool = std::ranges::find(steps, look::own_high_pool, &search_step::where);
    const auto deques = std::ranges::find(steps, look::same_domain, &search_step::where);
    return pool < deques && pool->item == pool_item::own_place && pool->only == step_conditions{};
  };
  EXPECT_TRUE(at_own_places(own_caches_order()));
  EXPECT_TRUE(at_own_places(five_level_order()));
  EXPECT_FALSE(at_own_places(triple_level_order(phase::running)));
}

TEST(locality_orders, of_five_levels_leave_what_others_have_near_for_last) {
  const std::vector<look> at_home{look::own_deque, look::own_low_pool, look::own_high_pool, look::own_weak_pool,
                                  look::same_domain};
  std::vector<look> locating = at_home;
  locating.push_back(look::injector);
  EXPECT_EQ(open_to(five_level_order(), {.planned = true}), locating);
  std::vector<look> running = at_home;
  for (const look where :
       {look::remote_low_pools, look::remote_weak_pools, look::remote_high_pools, look::any_deque, look::injector})
    running.push_back(where);
  EXPECT_EQ(open_to(five_level_order(), {.planned = true, .may_cross = true}), running);
  EXPECT_TRUE(opens(five_level_order(), {}, look::any_deque)) << "without a plan work is stolen at random";
  EXPECT_FALSE(
      opens(five_level_order(), {.own_to_come = true, .planned = true, .may_cross = true}, look::remote_high_pools));
}

}  // namespace
}  // namespace nearfork

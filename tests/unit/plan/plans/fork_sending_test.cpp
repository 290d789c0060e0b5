#include "plan/plans/fork_sending.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace nearfork {
namespace {

std::vector<std::uint32_t> turns_sent(const fork_sending& fork) {
  std::vector<std::uint32_t> turns;
  fork.for_each_sent([&](std::uint32_t turn) { turns.push_back(turn); });
  return turns;
}

using list = std::vector<std::uint32_t>;

TEST(fork_sending, sends_the_last_turn_first) {
  EXPECT_EQ(turns_sent({3, sweep::forward, spawn_order::child_first}), (list{2, 1}));
  EXPECT_EQ(turns_sent({3, sweep::forward, spawn_order::others_to_pools}), (list{2, 1}));
  EXPECT_EQ(turns_sent({3, sweep::backward, spawn_order::parent_first}), (list{2, 1, 0}));
  EXPECT_EQ(turns_sent({1, sweep::forward, spawn_order::child_first}), list{});
}

TEST(fork_sending, says_where_and_whether_the_forking_task_goes_on) {
  struct row {
    spawn_order order;
    bool to_pools, goes_on;
  };
  const row rows[] = {{spawn_order::child_first, false, true},
                      {spawn_order::parent_first, true, false},
                      {spawn_order::others_to_pools, true, true}};
  for (const row& r : rows) {
    const fork_sending fork(2, sweep::forward, r.order);
    EXPECT_EQ(fork.to_pools(), r.to_pools);
    EXPECT_EQ(fork.goes_on(), r.goes_on);
  }
}

TEST(fork_sending, gives_the_last_child_the_first_turn_in_a_sweep_back) {
  const fork_sending back(4, sweep::backward, spawn_order::child_first);
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    EXPECT_EQ(back.child_at(turn), 3 - turn);
    EXPECT_EQ(back.turn_of(back.child_at(turn)), turn);
    EXPECT_EQ(fork_sending(4, sweep::forward, spawn_order::child_first).child_at(turn), turn);
  }
}

TEST(target_of, is_the_senders_domain_where_the_plan_names_none) {
  EXPECT_EQ(target_of({.pool = pool_class::low}, 2, 4), (pool_target{2, pool_class::low}));
  EXPECT_EQ(target_of({.domain = 1}, 2, 4), (pool_target{1, pool_class::high}));
  EXPECT_EQ(target_of({.domain = 5}, 2, 4), (pool_target{1, pool_class::high})) << "the crew has fewer than the plan";
}

TEST(awaited_in, names_the_home_of_a_subtree_alone) {
  EXPECT_EQ(awaited_in({.domain = 5, .subtree_root = true}, 4), 1U);
  EXPECT_EQ(awaited_in({.domain = 1}, 4), std::nullopt);
  EXPECT_EQ(awaited_in({.subtree_root = true}, 4), std::nullopt);
}

}  // namespace
}  // namespace nearfork

#include "plan/search/pool_item.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

namespace nearfork {
namespace {

std::deque<int> numbered(std::size_t items) {
  std::deque<int> made(items);
  std::iota(made.begin(), made.end(), 0);
  return made;
}

TEST(pool_item, is_at_an_end_or_at_the_workers_place) {
  EXPECT_EQ(place_in_pool(pool_item::oldest, 9, {2, 4}), 0U);
  EXPECT_EQ(place_in_pool(pool_item::newest, 9, {2, 4}), 8U);
  EXPECT_EQ(place_in_pool(pool_item::own_place, 9, {0, 4}), 0U);
  EXPECT_EQ(place_in_pool(pool_item::own_place, 9, {2, 4}), 4U);
  EXPECT_EQ(place_in_pool(pool_item::own_place, 9, {3, 4}), 6U);
}

TEST(pool_item, leaves_the_others_in_their_order_at_the_ends) {
  std::deque<int> pool = numbered(5);
  EXPECT_EQ(take_item(pool, pool_item::oldest, {}), 0);
  EXPECT_EQ(take_item(pool, pool_item::newest, {}), 4);
  EXPECT_EQ(pool, (std::deque<int>{1, 2, 3}));
}

// A pool whose first fifth lies in DRAM: a fifth of the workers is there, from the first item to the last.
TEST(pool_item, keeps_workers_in_all_parts_of_the_pool) {
  constexpr std::uint32_t workers = 10;
  constexpr int items = 500;
  std::deque<int> pool = numbered(items);
  for (int round = 0; round < items / static_cast<int>(workers) - 1; ++round) {
    std::uint32_t in_first_fifth = 0;
    for (std::uint32_t who = 0; who < workers; ++who)
      in_first_fifth += take_item(pool, pool_item::own_place, {who, workers}) < items / 5 ? 1U : 0U;
    EXPECT_GE(in_first_fifth, 1U) << "in round " << round;
    EXPECT_LE(in_first_fifth, 3U) << "in round " << round;
  }
}

RC_GTEST_PROP(pool_item, each_item_is_taken_once, ()) {
  const auto items = *rc::gen::inRange<std::size_t>(0, 40);
  const auto workers = *rc::gen::inRange<std::uint32_t>(1, 9);
  std::deque<int> pool = numbered(items);
  std::vector<int> taken;
  while (!pool.empty()) {
    const auto which = *rc::gen::element(pool_item::oldest, pool_item::newest, pool_item::own_place);
    taken.push_back(take_item(pool, which, {*rc::gen::inRange<std::uint32_t>(0, workers), workers}));
  }
  std::ranges::sort(taken);
  std::vector<int> all(items);
  std::iota(all.begin(), all.end(), 0);
  RC_ASSERT(taken == all);
}

}  // namespace
}  // namespace nearfork

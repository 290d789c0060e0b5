#include "tools/bench/statistics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace nearfork::tools {
namespace {

TEST(statistics, median_is_the_middle_or_between_the_two) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({4, 1, 9, 6}), 5);
}

TEST(statistics, summary_of_numbers_worked_out_by_hand) {
  // Median 12; deviations 2 1 0 1 88, whose median is 1: the outlier does not count.
  const std::vector<std::uint64_t> times{10, 13, 12, 11, 100};
  const time_summary found = summarize(times);
  EXPECT_EQ(found.count, 5U);
  EXPECT_EQ(found.median_ns, 12);
  EXPECT_EQ(found.mad_ns, 1);
  EXPECT_EQ(found.min_ns, 10);
  EXPECT_EQ(found.max_ns, 100);
  EXPECT_DOUBLE_EQ(relative_spread(found), 1.0 / 12);
  EXPECT_TRUE(is_noisy(found));
}

TEST(statistics, of_nothing_is_nothing) {
  EXPECT_EQ(summarize({}).count, 0U);
  EXPECT_EQ(relative_spread({}), 0);
  EXPECT_EQ(speed_ratio({}, {}), 0);
}

using nanoseconds = std::vector<std::uint64_t>;

TEST(statistics, twice_as_fast_is_two) {
  EXPECT_EQ(speed_ratio(nanoseconds{10}, nanoseconds{5}), 2);
}

TEST(statistics, of_rounds_that_are_disturbed_as_a_whole_compare_round_by_round) {
  EXPECT_EQ(speed_ratio(nanoseconds{10, 100, 20}, nanoseconds{10, 100, 25}), 1);
}

TEST(statistics, of_rounds_that_miss_some_compare_medians) {
  EXPECT_EQ(speed_ratio(nanoseconds{10, 20, 30}, nanoseconds{5, 10}), 20 / 7.5);
  EXPECT_EQ(speed_ratio(nanoseconds{10, 20, 30}, nanoseconds{0, 10, 10}), 2);
}

RC_GTEST_PROP(statistics, order_is_a_permutation_that_seed_and_round_fix, (std::uint64_t seed, std::uint64_t round)) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 20);
  auto order = order_of_round(count, round, seed);
  RC_ASSERT(order == order_of_round(count, round, seed));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < count; ++i) RC_ASSERT(order[i] == i);
  RC_ASSERT(order.size() == count);
}

TEST(statistics, everybody_comes_first_sometimes) {
  std::vector<int> first(4, 0);
  for (std::uint64_t round = 0; round < 400; ++round) ++first[order_of_round(4, round, 1).front()];
  for (const int times : first) EXPECT_GT(times, 60);
}

TEST(rank_correlation, goes_by_order_alone) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 11, 500, 501}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8) << "1 - 6 (1 + 1 + 1 + 1) / (5 * 24)";
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 2, 3}, {1, 2, 2, 3}), 1) << "equal values share their rank";
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {7, 7, 7}), 0);
}

}  // namespace
}  // namespace nearfork::tools

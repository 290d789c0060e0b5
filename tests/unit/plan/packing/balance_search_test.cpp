#include "plan/packing/balance_search.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

namespace nearfork {
namespace {

/// Trials that differ in their crossings alone.
std::vector<balance_trial> trials_of(std::span<const double> crossings) {
  std::vector<balance_trial> trials;
  for (const double one : crossings) trials.push_back({.crossings = one, .median_ns = 1000, .spread_ns = 0});
  return trials;
}
balance search_of(double even, const std::vector<double>& crossings) {
  return search_balance(even, trials_of(crossings));
}

TEST(balance_search, begins_with_equal_shares) {
  const balance first = search_of(1, {});
  EXPECT_EQ(first.factor, 1);
  EXPECT_EQ(first.trial, 0U);
  EXPECT_FALSE(first.settled);
  EXPECT_EQ(search_of(2.0 / 3, {}).factor, 2.0 / 3);
}

TEST(balance_search, grows_until_the_sides_want_to_cross_more_often_and_goes_back) {
  const std::vector<double> crossings{40, 24, 24, 30};
  const std::vector<double> expected{1, 1.0625, 1.078125, 1.328125};
  for (std::size_t k = 0; k < crossings.size(); ++k) {
    const balance now = search_of(1, {crossings.begin(), crossings.begin() + static_cast<std::ptrdiff_t>(k)});
    EXPECT_EQ(now.factor, expected[k]);
    EXPECT_EQ(now.trial, k);
    EXPECT_FALSE(now.settled);
  }
  const balance end = search_of(1, crossings);
  EXPECT_TRUE(end.settled);
  EXPECT_EQ(end.factor, 1.078125);
  EXPECT_EQ(end.trial, 2U);
  EXPECT_EQ(end.factors, expected);
}

TEST(balance_search, ends_at_once_where_nobody_wants_to_cross) {
  const balance end = search_of(3, {0});
  EXPECT_TRUE(end.settled);
  EXPECT_EQ(end.factor, 3);
}

TEST(balance_search, ends_where_the_last_crossing_has_gone) {
  const balance end = search_of(1, {40, 0});
  EXPECT_TRUE(end.settled);
  EXPECT_EQ(end.factor, 1.0625);
}

// Algorithm 1 as printed divides by zero here.
TEST(balance_search, grows_to_its_bound_where_nothing_changes) {
  std::vector<double> crossings;
  double last = 0;
  balance now = search_of(1, crossings);
  for (; !now.settled; now = search_of(1, crossings)) {
    ASSERT_GT(now.factor, last);
    ASSERT_LE(now.factor, last == 0 ? 1 : 1.25 * last) << "a step is a quarter at most";
    last = now.factor;
    crossings.push_back(5);
    ASSERT_LE(crossings.size(), 20U);
  }
  EXPECT_EQ(now.factor, 8);
}

TEST(balance_search, ends_after_twenty_trials) {
  std::vector<double> crossings;
  for (int i = 0; i < 20; ++i) crossings.push_back(1e9 * (20 - i));
  EXPECT_FALSE(search_of(1, {crossings.begin(), crossings.begin() + 19}).settled);
  const balance end = search_of(1, crossings);
  EXPECT_TRUE(end.settled);
  EXPECT_EQ(end.trial, 19U);
  EXPECT_NEAR(end.factor, 1 + 1.0 / 16 + 18.0 / 64, 1e-12) << "many fewer crossings: the least step";
}

// One big domain and 31 little ones: the unit is more than the factor itself.
TEST(balance_search, takes_small_steps_from_a_small_factor) {
  const double even = 1.0 / 31;
  const balance next = search_of(even, {7});
  EXPECT_DOUBLE_EQ(next.factor, 1.25 * even);
}

TEST(balance_search, goes_back_from_shares_that_are_clearly_slower) {
  const std::vector<balance_trial> slower{{5, 1000, 30}, {5, 900, 20}, {5, 960, 30}};
  const balance end = search_balance(1, slower);
  EXPECT_TRUE(end.settled);
  EXPECT_EQ(end.trial, 1U);
  EXPECT_FALSE(search_balance(1, std::span(slower).first(2)).settled);
  const std::vector<balance_trial> within_noise{{5, 1000, 30}, {5, 900, 30}, {5, 960, 30}};
  EXPECT_FALSE(search_balance(1, within_noise).settled);
  const std::vector<balance_trial> by_less_than_a_hundredth{{5, 1000, 0}, {5, 1009, 0}};
  EXPECT_FALSE(search_balance(1, by_less_than_a_hundredth).settled);
}

TEST(balance_search, takes_less_than_one_crossing_more_for_chance) {
  EXPECT_FALSE(search_of(1, {15 + 1.0 / 3, 16}).settled);
  EXPECT_TRUE(search_of(1, {15, 16}).settled);
}

TEST(balance_search, goes_on_where_shares_are_clearly_faster) {
  const std::vector<balance_trial> faster{{15, 1000, 10}, {16, 970, 10}};
  EXPECT_FALSE(search_balance(1, faster).settled);
  const std::vector<balance_trial> by_chance{{15, 1000, 10}, {16, 985, 10}};
  EXPECT_TRUE(search_balance(1, by_chance).settled);
}

RC_GTEST_PROP(balance_search, stays_in_bounds_and_ends, ()) {
  const double even = *rc::gen::inRange(1, 9) / static_cast<double>(*rc::gen::inRange(1, 9));
  std::vector<double> crossings;
  balance now = search_of(even, crossings);
  while (!now.settled) {
    RC_ASSERT(crossings.size() < 20U);
    crossings.push_back(*rc::gen::inRange(0, 100));
    now = search_of(even, crossings);
    RC_ASSERT(now.factor >= even && now.factor <= 8 * even);
    RC_ASSERT(now.factors[now.trial] == now.factor);
  }
  crossings.push_back(1);  // what comes later changes nothing
  RC_ASSERT(search_of(even, crossings).factor == now.factor);
}

}  // namespace
}  // namespace nearfork

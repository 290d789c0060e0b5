#include "plan/course/second_look.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "unit/plan/profile/random_tree.hpp"

namespace nearfork {
namespace {

plan settled_plan(double moved_share = 0) {
  plan made(regular_tree(2, 1), [](tree_node node) -> placement { return {.subtree_root = node != tree_root}; });
  made.describe({.trial = trial_id{3}, .settled = true},
                {.policy = "auto", .decision = plan_decision::settled, .subtrees = 2});
  made.place_data({.borders = {0, 0.5, 1}, .moved_share = moved_share});
  return made;
}

/// What is in force after a look at plain iterations of these times, where the plan takes 100 ns. The look must end
/// with the last of them.
plan look_at(second_look& look, std::span<const std::uint64_t> plain_ns, double moved_share = 0) {
  const plan plain = look.begin(settled_plan(moved_share), {100, 50, 200, 100, 100});
  EXPECT_TRUE(plain.empty());
  EXPECT_FALSE(plain.standing().settled);
  EXPECT_EQ(plain.why().decision, plan_decision::trying_plain);
  std::size_t seen = 0;
  for (const std::uint64_t ns : plain_ns) EXPECT_EQ(look.add(ns), ++seen == plain_ns.size()) << seen;
  EXPECT_TRUE(look.is_on());
  return look.end();
}

plan look_after(second_look& look, std::vector<std::uint64_t> settling, std::uint64_t then_ns) {
  settling.insert(settling.end(), 15, then_ns);
  return look_at(look, settling);
}

TEST(second_look, lets_plain_stealing_settle_before_it_counts) {
  second_look look;
  const plan now = look_after(look, {109, 115, 120, 130}, 95);
  EXPECT_FALSE(look.is_on());
  EXPECT_TRUE(now.empty());
  EXPECT_TRUE(now.standing().settled);
  EXPECT_EQ(now.why().policy, "auto");
  EXPECT_EQ(now.why().decision, plan_decision::no_plan_is_faster);
  EXPECT_EQ(now.why().subtrees, 0U);
  ASSERT_EQ(now.why().later_trials.size(), 2U);
  EXPECT_EQ(now.why().later_trials[0].median_ns, 100U);
  EXPECT_EQ(now.why().later_trials[1].median_ns, 95U);
  EXPECT_EQ(now.why().later_trials[1].iterations, 15U);
}

// A region that says nothing of its data runs without any work for them.
TEST(second_look, keeps_what_the_plan_says_of_data_only_where_a_move_may_be_to_come) {
  const std::vector<std::uint64_t> faster(19, 90);
  second_look look;
  EXPECT_TRUE(look_at(look, faster).data().borders.empty());
  const plan now = look_at(look, faster, 0.2);
  EXPECT_TRUE(now.empty());
  EXPECT_EQ(now.data().moved_share, 0.2);
}

TEST(second_look, leaves_the_plan_where_plain_stealing_is_hardly_faster) {
  second_look look;
  const plan now = look_after(look, {90, 90, 90, 90}, 99);
  EXPECT_FALSE(now.empty());
  EXPECT_EQ(now.standing().trial, trial_id{3});
  EXPECT_EQ(now.why().decision, plan_decision::settled);
  EXPECT_EQ(now.why().later_trials.size(), 2U);
}

TEST(second_look, ends_soon_where_plain_stealing_is_clearly_slower) {
  second_look look;
  EXPECT_FALSE(look_at(look, std::vector<std::uint64_t>{150, 120, 111}).empty());
  const plan now = look_at(look, std::vector<std::uint64_t>{104, 104, 104, 104, 101, 101, 101, 101});
  EXPECT_FALSE(now.empty());
  EXPECT_TRUE(now.why().later_trials.back().given_up);
}

TEST(second_look, is_due_when_it_costs_about_a_hundredth) {
  second_look look;
  EXPECT_FALSE(look.is_due(31, 0));
  EXPECT_TRUE(look.is_due(32, 0));
  EXPECT_FALSE(look.is_due(231, 0.5));
  EXPECT_TRUE(look.is_due(232, 0.5));
  for (std::uint64_t i = 1; i < 20; ++i) {
    (void)look_at(look, std::vector<std::uint64_t>{150, 150, 150});
    const std::uint64_t wait = std::uint64_t{32} << (i < 8 ? i : 8);
    EXPECT_FALSE(look.is_due(wait - 1, 0)) << i;
    EXPECT_TRUE(look.is_due(wait, 0)) << i;
  }
}

}  // namespace
}  // namespace nearfork

#include "plan/plans/plan_explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "plan/plans/plan.hpp"

namespace nearfork {
namespace {

using ::testing::ElementsAre;

TEST(plan_explanation, says_why_nothing_is_planned) {
  EXPECT_THAT(lines_of({.policy = "acab", .decision = plan_decision::one_domain}),
              ElementsAre("acab: plain stealing: one domain"));
  EXPECT_THAT(lines_of({}), ElementsAre("no plan"));
}

TEST(plan_explanation, tells_subtrees_shares_and_trials) {
  plan_explanation why{.policy = "laws", .decision = plan_decision::settled, .packing_level = -2, .subtrees = 16};
  why.least_bytes = 1.5 * (1 << 20);
  why.most_bytes = 6 << 20;
  why.domain_shares = {0.5, 0.25, 0.125};
  why.trials = {{trial_id{0}, "first packing", 205, 9'800'000, 10'000'000},
                {trial_id{9}, "1 down", 1, 850, 12'345},
                {trial_id{4}, "half of each share", 5, 2'000'000'000, 2'000'000'001}};
  why.plain_trial = {.what = "plain stealing", .iterations = 2, .shortest_ns = 5, .median_ns = 6};
  why.later_trials = {{trial_id{9}, "the plan later", 5, 7, 8}};
  EXPECT_THAT(lines_of(why),
              ElementsAre("laws: planned, with the best packing tried", "subtrees: 16 (2 up), 1.5 MiB to 6 MiB each",
                          "share of each domain: 50% 25% 12.5%",
                          "tried plain stealing: median 6 ns, shortest 5 ns, 2 iterations",
                          "tried first packing: median 10 ms, shortest 9.8 ms, 205 iterations",
                          "tried 1 down: median 12.3 us, shortest 850 ns, 1 iteration",
                          "tried half of each share: median 2 s, shortest 2 s, 5 iterations",
                          "tried the plan later: median 8 ns, shortest 7 ns, 5 iterations"));
}

TEST(plan_explanation, names_packings_by_their_distance_from_the_first) {
  EXPECT_EQ(packing_text(0), "first packing");
  EXPECT_EQ(packing_text(1), "1 down");
  EXPECT_EQ(packing_text(-2), "2 up");
  EXPECT_EQ(packing_text(std::numeric_limits<std::int32_t>::min()), "2147483648 up");
}

TEST(plan_explanation, leaves_out_what_is_not_known) {
  EXPECT_THAT(lines_of({.policy = "cab", .decision = plan_decision::packed, .subtrees = 4}),
              ElementsAre("cab: planned", "subtrees: 4"));
}

TEST(plan_decision, has_a_name_for_each) {
  for (int i = 0; i <= static_cast<int>(plan_decision::settled); ++i)
    EXPECT_NE(name_of(static_cast<plan_decision>(i)), "?") << i;
}

TEST(plan, keeps_what_its_policy_tells_of_it) {
  plan made(placement_rule{.cut_depth = 1});
  EXPECT_EQ(made.standing(), plan_standing{});
  EXPECT_EQ(made.why(), plan_explanation{});
  made.describe({.trial = trial_id{7}, .settled = true}, {.policy = "laws", .decision = plan_decision::trying});
  const plan copy = made;
  EXPECT_EQ(copy.standing().trial, trial_id{7});
  EXPECT_TRUE(copy.standing().settled);
  EXPECT_EQ(copy.why().policy, "laws");
  EXPECT_FALSE(copy.empty());
}

}  // namespace
}  // namespace nearfork

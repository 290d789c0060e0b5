#include "plan/plans/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "machine/model/machine.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork {
namespace {

constexpr phase phases[] = {phase::running, phase::profiling};

TEST(policy_names, are_distinct_and_all_can_be_made) {
  const auto names = policy_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const auto& name : names) EXPECT_EQ(make_policy(name)->name(), name);
}

TEST(make_policy, names_what_there_is_when_asked_for_what_there_is_not) {
  try {
    (void)make_policy("randon");
    FAIL() << "made a policy that does not exist";
  } catch (const error& refusal) {
    const std::string message = refusal.what();
    EXPECT_NE(message.find("\"randon\""), std::string::npos) << message;
    for (const auto& name : policy_names()) EXPECT_NE(message.find(name), std::string::npos) << message;
  }
}

// Must hold for every policy that is registered, now and later.
TEST(every_policy, leaves_no_place_unsearched_on_any_machine) {
  for (const auto& name : policy_names())
    for (const auto& where : machines_for_tests())
      for (const phase now : phases) EXPECT_EQ(unreachable_place(make_policy(name)->order(where, now)), "") << name;
}

TEST(every_policy, gives_the_same_answer_twice) {
  for (const auto& name : policy_names())
    for (const auto& where : machines_for_tests())
      for (const phase now : phases) {
        const auto one = make_policy(name);
        EXPECT_EQ(one->order(where, now), make_policy(name)->order(where, now));
      }
}

TEST(random_policies, plan_nothing_and_profile_nothing) {
  for (const auto& name : {"random", "random-unpinned"})
    for (const auto& where : machines_for_tests()) {
      const auto random = make_policy(name);
      EXPECT_FALSE(random->needs().profile);
      const plan first = random->first(where, {});
      EXPECT_TRUE(first.empty());
      EXPECT_TRUE(random->next(where, profile(task_tree{}, cost_source::time), first).empty());
    }
}

TEST(random_policies, differ_in_pinning_alone) {
  EXPECT_TRUE(make_policy("random")->needs().pinned_workers);
  EXPECT_FALSE(make_policy("random-unpinned")->needs().pinned_workers);
  for (const auto& where : machines_for_tests())
    EXPECT_EQ(make_policy("random")->order(where, phase::running),
              make_policy("random-unpinned")->order(where, phase::running));
}

// Cilk: own deque first, then any victim at random, without conditions.
TEST(random_policies, search_as_cilk_does) {
  for (const auto& where : machines_for_tests()) {
    const search_order order = make_policy("random")->order(where, phase::running);
    EXPECT_EQ(order.steps().front().where, look::own_deque);
    const auto steals = std::find_if(order.steps().begin(), order.steps().end(),
                                     [](const auto& step) { return step.where == look::any_deque; });
    ASSERT_NE(steals, order.steps().end());
    EXPECT_EQ(steals->spread, victim_spread::random);
    for (const search_step& step : order.steps()) EXPECT_EQ(step.only, step_conditions{});
  }
}

}  // namespace
}  // namespace nearfork

#include "plan/packing/crossing.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace nearfork {
namespace {

iteration_digest durations(std::initializer_list<std::uint64_t> ns) {
  iteration_digest made;
  for (const std::uint64_t one : ns) made.add(one);
  return made;
}

domain_digest busy(const std::vector<double>& domains) {
  std::vector<domain_use> use;
  for (const double one : domains) use.push_back({.busy = one});
  domain_digest made;
  for (std::size_t i = 0; i < domain_digest::most_kept; ++i) made.add(use);
  return made;
}

const iteration_digest apart = durations({100, 101, 102, 103, 104});
const domain_digest unequal = busy({0.9, 1, 1, 1});

crossing choice_without_trial(const domain_digest* use, const iteration_digest& plain) {
  return choose_crossing({.apart = apart, .use = use, .plain = plain});
}

TEST(crossing, is_tried_only_where_domains_are_known_to_wait) {
  const domain_digest equal = busy({0.995, 1, 0.99, 1});
  const domain_digest nothing_yet;
  EXPECT_EQ(choice_without_trial(&unequal, {}), crossing::tried);
  EXPECT_EQ(choice_without_trial(&equal, {}), crossing::forbidden);
  EXPECT_EQ(choice_without_trial(&nothing_yet, {}), crossing::forbidden);
  EXPECT_EQ(choice_without_trial(nullptr, {}), crossing::forbidden);
}

// A fortieth of the time is waited for. So the plan can fall to 99.5, and no further.
TEST(crossing, is_not_tried_where_plain_stealing_would_win_all_the_same) {
  EXPECT_EQ(choice_without_trial(&unequal, durations({99})), crossing::forbidden);
  EXPECT_EQ(choice_without_trial(&unequal, durations({100})), crossing::tried);
}

crossing choice_after(std::initializer_list<std::uint64_t> ns) {
  const iteration_digest together = durations(ns);
  const iteration_digest plain = durations({110});
  return choose_crossing({.apart = apart, .use = &unequal, .together = &together, .plain = plain});
}

TEST(crossing, is_allowed_once_three_iterations_are_faster_than_all_others) {
  EXPECT_EQ(choice_after({99, 99}), crossing::tried);
  EXPECT_EQ(choice_after({99, 99, 99}), crossing::allowed);
  EXPECT_EQ(choice_after({99, 99, 500, 99}), crossing::allowed);
}

TEST(crossing, is_given_up_once_three_iterations_are_not) {
  EXPECT_EQ(choice_after({100, 99}), crossing::tried);
  EXPECT_EQ(choice_after({100, 99, 101, 99}), crossing::tried);
  EXPECT_EQ(choice_after({100, 99, 101, 99, 100}), crossing::forbidden);
  EXPECT_EQ(choice_after({100, 100, 100}), crossing::forbidden);
}

TEST(crossing, is_given_up_after_one_iteration_if_that_is_clearly_slower) {
  const iteration_digest together = durations({250});
  const crossing_rule rule{.early = {.clearly_slower = {2.0, 1.2}}};
  EXPECT_EQ(choose_crossing({.apart = apart, .use = &unequal, .together = &together, .plain = {}}, rule),
            crossing::forbidden);
}

TEST(crossing, has_trials_of_its_own) {
  EXPECT_NE(trial_of_crossing(0, 0), trial_of_packing(0));
  EXPECT_NE(trial_of_crossing(-1, 0), trial_of_packing(-1));
  EXPECT_NE(trial_of_crossing(0, 0), trial_of_crossing(0, 1));
}

}  // namespace
}  // namespace nearfork

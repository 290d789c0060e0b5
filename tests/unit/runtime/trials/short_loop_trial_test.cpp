// Whether short loops run as usual or alone, with times made by hand.
#include "runtime/trials/short_loop_trial.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace nearfork {
namespace {

constexpr std::uint64_t longest = 32'000;

/// Loops that take one time as usual, and another alone.
struct repeated_loop {
  std::uint64_t usual;
  std::uint64_t alone;
  short_loop_trial trial{};
  int ran_alone = 0;
  int were_opened = 0;
  int were_timed = 0;

  void run(int times) {
    for (int i = 0; i < times; ++i) {
      were_timed += trial.is_timed() ? 1 : 0;
      const bool by_itself = trial.runs_alone();
      ran_alone += by_itself ? 1 : 0;
      if (by_itself && alone > trial.most_ticks()) {
        ++were_opened;
        trial.opened();
      } else {
        trial.ended(by_itself ? alone : usual, longest);
      }
    }
  }
};

TEST(short_loop_trial, runs_loops_alone_where_that_is_faster) {
  repeated_loop one{.usual = 3'000, .alone = 700};
  one.run(100'000);
  EXPECT_GT(one.ran_alone, 98'000);
  EXPECT_EQ(one.were_opened, 0);
}

TEST(short_loop_trial, runs_them_as_usual_where_that_is_faster) {
  repeated_loop one{.usual = 3'000, .alone = 5'000};
  one.run(100'000);
  EXPECT_GT(one.ran_alone, 0);
  EXPECT_LT(one.ran_alone, 200);
  EXPECT_LT(one.were_timed, 400) << "times are taken of few loops";
}

TEST(short_loop_trial, shares_as_usual_where_both_are_equal) {
  repeated_loop one{.usual = 3'000, .alone = 3'000};
  one.run(100'000);
  EXPECT_LT(one.ran_alone, 200);
}

TEST(short_loop_trial, opens_loops_that_take_twice_as_long_alone_and_does_not_insist) {
  repeated_loop one{.usual = 3'000, .alone = 30'000};
  one.run(100'000);
  EXPECT_GT(one.were_opened, 0);
  EXPECT_EQ(one.ran_alone, one.were_opened);
  EXPECT_LT(one.were_opened, 50);
}

TEST(short_loop_trial, never_tries_long_loops_alone) {
  repeated_loop one{.usual = longest + 1, .alone = 10};
  one.run(100'000);
  EXPECT_EQ(one.ran_alone, 0);
}

// On a busy machine some loops of each sixteen take long.
TEST(short_loop_trial, bears_that_loops_are_interrupted_while_they_are_timed) {
  short_loop_trial trial;
  int alone = 0;
  for (int i = 0; i < 10'000; ++i) {
    alone += trial.runs_alone() ? 1 : 0;
    trial.ended(i % 11 == 0 ? longest + 1 : trial.runs_alone() ? 700 : 3'000, longest);
  }
  EXPECT_GT(alone, 9'000);
}

TEST(short_loop_trial, shares_again_soon_after_bodies_have_become_slow) {
  repeated_loop one{.usual = 3'000, .alone = 700};
  one.run(10'000);
  ASSERT_TRUE(one.trial.runs_alone());
  one.alone = 70'000;
  one.usual = 35'000;
  one.run(3);
  EXPECT_EQ(one.were_opened, 3);
  EXPECT_FALSE(one.trial.runs_alone());
}

TEST(short_loop_trial, bears_that_the_system_interrupts_a_loop_now_and_then) {
  repeated_loop one{.usual = 3'000, .alone = 700};
  one.run(10'000);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(one.trial.runs_alone());
    one.trial.opened();
    one.run(4);
  }
  EXPECT_TRUE(one.trial.runs_alone());
}

TEST(short_loop_trial, takes_two_interrupted_loops_for_none) {
  short_loop_trial trial;
  for (std::uint32_t i = 0; i < short_loop_trial::loops_to_settle; ++i) trial.ended(0, longest);
  for (std::uint32_t i = 0; i < short_loop_trial::loops_timed; ++i)
    trial.ended(i == 5 || i == 9 ? 30'000 : 700, longest);
  ASSERT_TRUE(trial.runs_alone());
  EXPECT_EQ(trial.most_ticks(), 1'401U);
}

// A helper that the system does not let run says nothing about loops with help.
TEST(short_loop_trial, waits_for_help_before_it_compares) {
  short_loop_trial trial;
  for (std::uint32_t i = 0; i < 4 * short_loop_trial::loops_to_settle; ++i) {
    ASSERT_FALSE(trial.is_timed()) << i;
    trial.ended(0, longest, false);
  }
  for (std::uint32_t i = 0; i < short_loop_trial::loops_helped; ++i) trial.ended(0, longest, true);
  EXPECT_TRUE(trial.is_timed());
}

TEST(short_loop_trial, does_not_wait_for_help_for_ever) {
  short_loop_trial trial;
  for (std::uint32_t i = 0; i < short_loop_trial::longest_to_settle; ++i) trial.ended(0, longest, false);
  EXPECT_TRUE(trial.is_timed());
}

}  // namespace
}  // namespace nearfork

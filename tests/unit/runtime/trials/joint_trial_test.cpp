// Whether the loops of a worker run as usual or alone, with times made by hand.
#include "runtime/trials/joint_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nearfork {
namespace {

constexpr std::uint64_t longest_alone = 32'000;

/// Loops of several places, one after the other. Each takes one time as usual and another alone, and longer if the loop
/// before ran the other way: its data are elsewhere.
class loops_in_turn {
 public:
  struct place {
    std::uint64_t usual;
    std::uint64_t alone;
    std::uint64_t to_fetch = 0;
    std::uint32_t one_round_in = 1;
    place_times times{};
    std::uint32_t ran = 0;
    std::uint32_t ran_alone = 0;
    std::uint32_t were_opened = 0;
  };
  explicit loops_in_turn(std::vector<place> places) : places_(std::move(places)) {}

  void run(std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i, ++round_)
      for (place& each : places_)
        if (round_ % each.one_round_in == 0) run(each);
  }
  void forget_counts() {
    for (place& each : places_) each.ran = each.ran_alone = each.were_opened = 0;
  }
  place& operator[](std::size_t i) { return places_[i]; }
  joint_trial& trial() { return trial_; }
  std::uint32_t timed = 0;
  bool helped = true;

 private:
  void run(place& one) {
    const bool alone = trial_.runs_alone(one.times);
    const std::uint64_t ticks = (alone ? one.alone : one.usual) + (alone == last_alone_ ? 0 : one.to_fetch);
    const bool opened = alone && ticks > joint_trial::most_ticks(one.times);
    last_alone_ = alone;
    ++one.ran;
    one.ran_alone += alone ? 1 : 0;
    one.were_opened += opened ? 1 : 0;
    timed += trial_.is_timed() ? 1 : 0;
    trial_.ended(one.times, {trial_.era(), trial_.is_timed() ? ticks : 0, alone, helped, opened},
                 [this](const auto& act) {
                   for (place& each : places_) act(each.times);
                 });
  }

  std::vector<place> places_;
  joint_trial trial_{longest_alone};
  bool last_alone_ = false;
  std::uint32_t round_ = 0;
};

TEST(joint_trial, runs_loops_alone_where_that_is_faster) {
  loops_in_turn all({{.usual = 3'000, .alone = 700}});
  all.run(100'000);
  EXPECT_GT(all[0].ran_alone, 98'000U);
  EXPECT_EQ(all[0].were_opened, 0U);
}

TEST(joint_trial, runs_them_as_usual_where_that_is_faster_or_equal) {
  for (const std::uint64_t alone : {3'000U, 5'000U}) {
    loops_in_turn all({{.usual = 3'000, .alone = alone}});
    all.run(100'000);
    EXPECT_GT(all[0].ran_alone, 0U);
    EXPECT_LT(all[0].ran_alone, 200U);
    EXPECT_LT(all.timed, 400U) << "times are taken of few loops";
  }
}

TEST(joint_trial, runs_each_as_it_is_faster_where_loops_do_not_share_data) {
  loops_in_turn all({{.usual = 3'000, .alone = 1'000}, {.usual = 10'000, .alone = 18'000}});
  all.run(10'000);
  all.forget_counts();
  all.run(10'000);
  EXPECT_GT(all[0].ran_alone, 9'000U);
  EXPECT_LT(all[1].ran_alone, 100U);
}

/// Each as it is faster takes 4 * 4000 for data that are elsewhere.
TEST(joint_trial, runs_all_alone_or_none_where_loops_share_data) {
  const auto halves = [](std::uint64_t quick_usual) {
    return std::vector<loops_in_turn::place>{{.usual = quick_usual, .alone = 1'000, .to_fetch = 4'000},
                                             {.usual = 10'000, .alone = 12'000, .to_fetch = 4'000},
                                             {.usual = quick_usual, .alone = 1'000, .to_fetch = 4'000},
                                             {.usual = 10'000, .alone = 12'000, .to_fetch = 4'000}};
  };
  loops_in_turn better_alone(halves(4'000));
  better_alone.run(10'000);
  better_alone.forget_counts();
  better_alone.run(10'000);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GT(better_alone[i].ran_alone, 9'000U) << i;
  loops_in_turn better_shared(halves(2'000));
  better_shared.run(10'000);
  better_shared.forget_counts();
  better_shared.run(10'000);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(better_shared[i].ran_alone, 100U) << i;
}

/// To compare them costs 144 loops as usual.
TEST(joint_trial, compares_seldom_where_help_costs_much) {
  loops_in_turn all({{.usual = 20'000, .alone = 2'000}});
  all.run(5'000);
  EXPECT_GT(all[0].ran_alone, 4'800U);
}

TEST(joint_trial, never_tries_long_loops_alone) {
  loops_in_turn all({{.usual = longest_alone + 1, .alone = 10}, {.usual = 3'000, .alone = 700}});
  all.run(100'000);
  EXPECT_EQ(all[0].ran_alone, 0U);
  EXPECT_GT(all[1].ran_alone, 98'000U);
}

TEST(joint_trial, knows_places_that_are_called_seldom_after_some_cycles) {
  loops_in_turn all({{.usual = 3'000, .alone = 700}, {.usual = 3'000, .alone = 700, .one_round_in = 40}});
  all.run(20'000);
  all.forget_counts();
  all.run(40'000);
  EXPECT_GT(all[1].ran_alone, 900U);
}

TEST(joint_trial, times_a_new_place_soon) {
  loops_in_turn all({{.usual = 3'000, .alone = 700}, {.usual = 3'000, .alone = 700, .one_round_in = 1'000'000}});
  all.run(900'000);
  all[1].one_round_in = 1;
  all.run(1'000);
  all.forget_counts();
  all.run(1'000);
  EXPECT_GT(all[1].ran_alone, 900U);
}

TEST(joint_trial, opens_loops_that_take_twice_as_long_alone_and_does_not_insist) {
  loops_in_turn all({{.usual = 3'000, .alone = 30'000}});
  all.run(100'000);
  EXPECT_GT(all[0].were_opened, 0U);
  EXPECT_LT(all[0].were_opened, 50U);
}

TEST(joint_trial, shares_again_soon_after_bodies_have_become_slow) {
  loops_in_turn all({{.usual = 3'000, .alone = 700}});
  all.run(10'000);
  ASSERT_TRUE(all.trial().runs_alone(all[0].times));
  all[0].alone = 70'000;
  all[0].usual = 35'000;
  all.run(3);
  EXPECT_EQ(all[0].were_opened, 3U);
  EXPECT_FALSE(all.trial().runs_alone(all[0].times));
}

TEST(joint_trial, bears_that_the_system_interrupts_a_loop_now_and_then) {
  loops_in_turn all({{.usual = 3'000, .alone = 700}});
  all.run(10'000);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(all.trial().runs_alone(all[0].times));
    all[0].alone = 70'000;
    all.run(1);
    all[0].alone = 700;
    all.run(4);
  }
  EXPECT_TRUE(all.trial().runs_alone(all[0].times));
}

TEST(joint_trial, takes_two_interrupted_loops_for_none) {
  timed_loops seen;
  for (std::uint32_t i = 0; i < joint_trial::loops_timed; ++i) seen.add(i == 5 || i == 9 ? 30'000 : 700);
  EXPECT_EQ(seen.mean(), 700U);
}

// A helper that the system does not let run says nothing about loops with help.
TEST(joint_trial, waits_for_help_before_it_compares_but_not_for_ever) {
  loops_in_turn all({{.usual = 3'000, .alone = 700}});
  all.helped = false;
  all.run(4 * joint_trial::loops_to_settle);
  EXPECT_FALSE(all.trial().is_timed());
  all.helped = true;
  all.run(joint_trial::loops_helped);
  EXPECT_TRUE(all.trial().is_timed());
  loops_in_turn lonely({{.usual = 3'000, .alone = 700}});
  lonely.helped = false;
  lonely.run(joint_trial::longest_to_settle);
  EXPECT_TRUE(lonely.trial().is_timed());
}

/// A loop that others began before the trial went on tells nothing about the next phase.
TEST(joint_trial, does_not_count_loops_that_began_before) {
  joint_trial trial(longest_alone);
  place_times one;
  const auto none = [](const auto&) {};
  for (std::uint32_t i = 0; i < 10 * joint_trial::loops_to_settle; ++i)
    trial.ended(one, {trial.era() + 1, 0, false, true, false}, none);
  EXPECT_FALSE(trial.is_timed());
}

}  // namespace
}  // namespace nearfork

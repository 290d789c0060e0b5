// Whether a worker helps a graph or holds still, with a clock and steps made by hand.
#include "runtime/trials/help_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace nearfork {
namespace {

/// A graph that goes on at one speed with the worker, and at another without it.
struct graph {
  double with_per_us;
  double without_per_us;
  std::uint64_t task_ns = 100;

  help_trial helps{};
  double steps = 0;
  std::uint64_t now_ns = 1'000;
  std::uint64_t held_ns = 0;
  std::uint64_t longest_hold_ns = 0;
  int holds = 0;

  [[nodiscard]] std::uint64_t counted() const { return static_cast<std::uint64_t>(steps); }
  void pass(std::uint64_t ns, double per_us) {
    now_ns += ns;
    steps += per_us * static_cast<double>(ns) / 1e3;
  }
  void hold() {
    ++holds;
    const std::uint64_t from_ns = now_ns;
    do {
      do pass(500, without_per_us);
      while (!helps.has_held(now_ns));
    } while (!helps.helps_again(now_ns, counted()));
    held_ns += now_ns - from_ns;
    longest_hold_ns = std::max(longest_hold_ns, now_ns - from_ns);
  }
  void run_until(std::uint64_t end_ns) {
    while (now_ns < end_ns) {
      pass(task_ns, with_per_us);
      if (helps.ran_one() && helps.holds_still(now_ns, counted())) hold();
    }
  }
  [[nodiscard]] double part_held() const { return static_cast<double>(held_ns) / static_cast<double>(now_ns); }
};

constexpr std::uint64_t ms = 1'000'000;

TEST(help_trial, holds_still_where_the_others_are_faster_alone) {
  graph one{.with_per_us = 30, .without_per_us = 60};
  one.run_until(10 * ms);
  EXPECT_GT(one.part_held(), 0.9);
  EXPECT_LE(one.longest_hold_ns, help_trial::longest_hold_ns + help_trial::holding_ns + 500);
}

TEST(help_trial, helps_where_that_is_faster_and_tries_ever_less_often) {
  graph one{.with_per_us = 60, .without_per_us = 30};
  one.run_until(10 * ms);
  EXPECT_LT(one.part_held(), 0.02);
  EXPECT_GT(one.holds, 3);
  EXPECT_LT(one.holds, 15);
}

TEST(help_trial, helps_where_nothing_goes_on_without_it) {
  graph one{.with_per_us = 10, .without_per_us = 0};
  one.run_until(10 * ms);
  EXPECT_LT(one.part_held(), 0.02);
}

TEST(help_trial, helps_where_both_are_alike) {
  graph one{.with_per_us = 30, .without_per_us = 32};
  one.run_until(10 * ms);
  EXPECT_LT(one.part_held(), 0.02);
}

TEST(help_trial, never_holds_still_for_longer_tasks) {
  graph one{.with_per_us = 0.3, .without_per_us = 10, .task_ns = 3'000};
  one.run_until(10 * ms);
  EXPECT_EQ(one.holds, 0);
}

TEST(help_trial, helps_again_soon_after_the_others_have_stopped) {
  graph one{.with_per_us = 30, .without_per_us = 60};
  while (!one.helps.ran_one() || !one.helps.holds_still(one.now_ns, one.counted())) one.pass(100, 30);
  const auto look = [&](double per_us) {
    do one.pass(500, per_us);
    while (!one.helps.has_held(one.now_ns));
    return one.helps.helps_again(one.now_ns, one.counted());
  };
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(look(60));
  EXPECT_TRUE(one.helps.is_sure());
  EXPECT_TRUE(look(0));
}

// At first they wait for lines that this worker has written.
TEST(help_trial, lets_the_others_fetch_their_data_before_it_times_them) {
  graph one{.with_per_us = 30, .without_per_us = 60};
  while (!one.helps.ran_one() || !one.helps.holds_still(one.now_ns, one.counted())) one.pass(100, 30);
  one.pass(help_trial::holding_ns, 5);
  EXPECT_FALSE(one.helps.helps_again(one.now_ns, one.counted()));
  EXPECT_FALSE(one.helps.is_sure());
  one.pass(help_trial::holding_ns, 60);
  EXPECT_FALSE(one.helps.helps_again(one.now_ns, one.counted()));
  EXPECT_TRUE(one.helps.is_sure());
}

}  // namespace
}  // namespace nearfork

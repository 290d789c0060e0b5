#include "plan/course/profiling_schedule.hpp"

#include <gtest/gtest.h>

namespace nearfork {
namespace {

/// How often a region is profiled again in `iterations` iterations; `strays` says which iterations leave their plan.
template <class Strays>
int profiles_in(int iterations, Strays&& strays) {
  profiling_schedule schedule;
  int profiles = 0;
  for (int i = 0; i < iterations; ++i) {
    schedule.add(strays(i));
    if (!schedule.wants_profile()) continue;
    schedule.begin_anew();
    ++profiles;
  }
  return profiles;
}

TEST(profiling_schedule, leaves_a_plan_alone_that_fits_or_nearly_does) {
  EXPECT_EQ(profiles_in(1000, [](int) { return false; }), 0);
  EXPECT_EQ(profiles_in(1000, [](int i) { return i % 10 < 2; }), 0) << "an output step every now and then";
}

TEST(profiling_schedule, asks_once_after_a_change_of_shape) {
  EXPECT_EQ(profiles_in(1000, [](int i) { return i >= 100 && i < 103; }), 1);
}

// 3 + 6 + 12 + ... iterations: the tenth profile needs 3 * 1023 iterations.
TEST(profiling_schedule, backs_off_from_a_tree_that_always_changes) {
  const auto always = [](int) { return true; };
  EXPECT_EQ(profiles_in(2, always), 0);
  EXPECT_EQ(profiles_in(3, always), 1);
  EXPECT_EQ(profiles_in(8, always), 1);
  EXPECT_EQ(profiles_in(9, always), 2);
  EXPECT_EQ(profiles_in(3 * 1023, always), 10);
  EXPECT_LE(profiles_in(100'000, always), 35) << "patience ends at 4096 iterations";
}

TEST(profiling_schedule, forgives_when_a_plan_has_fitted_for_long) {
  profiling_schedule schedule;
  for (int i = 0; i < 9; ++i) {
    schedule.add(true);
    if (schedule.wants_profile()) schedule.begin_anew();
  }
  for (int i = 0; i < 12; ++i) schedule.add(false);
  for (int i = 0; i < 3; ++i) schedule.add(true);
  EXPECT_TRUE(schedule.wants_profile()) << "as soon as at first";
}

}  // namespace
}  // namespace nearfork

#include "base/threads/catch_up.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using nearfork::catch_up;

TEST(catch_up, waits_until_the_others_have_caught_up) {
  int looks = 0;
  EXPECT_TRUE(catch_up::wait([&] { return catch_up::progress{++looks == 3, 0}; }));
  EXPECT_EQ(looks, 3);
}

TEST(catch_up, does_not_wait_for_others_that_have_caught_up) {
  int looks = 0;
  EXPECT_TRUE(catch_up::wait([&] { return catch_up::progress{++looks != 0, 0}; }));
  EXPECT_EQ(looks, 1);
}

TEST(catch_up, does_not_wait_long_for_slow_others) {
  std::uint64_t looks = 0;
  EXPECT_FALSE(catch_up::wait([&] { return catch_up::progress{false, 10 * ++looks}; }));
  EXPECT_EQ(looks, 5U);
}

TEST(catch_up, waits_longer_for_quick_others_but_not_for_ever) {
  std::uint64_t looks = 0;
  EXPECT_TRUE(catch_up::wait([&] { return catch_up::progress{++looks == 30, 1000 * looks}; }));
  looks = 0;
  EXPECT_FALSE(catch_up::wait([&] { return catch_up::progress{false, 1000 * ++looks}; }));
  EXPECT_LT(looks, 100U);
}

TEST(catch_up, is_due_less_and_less_often_where_the_others_are_slow) {
  catch_up own;
  EXPECT_TRUE(own.is_due(0));
  own.ended(100, false);
  EXPECT_FALSE(own.is_due(2147));
  EXPECT_TRUE(own.is_due(2148));
  own.ended(2148, false);
  EXPECT_FALSE(own.is_due(2148 + 4095));
  EXPECT_TRUE(own.is_due(2148 + 4096));
}

TEST(catch_up, is_due_again_where_they_have_caught_up) {
  catch_up own;
  own.ended(100, false);
  own.ended(3000, true);
  EXPECT_TRUE(own.is_due(3000));
  own.ended(3000, false);
  EXPECT_FALSE(own.is_due(5047));
  EXPECT_TRUE(own.is_due(5048));
}

TEST(catch_up, is_due_when_a_new_count_begins) {
  catch_up own;
  own.ended(1'000'000, false);
  own.begin_again();
  EXPECT_TRUE(own.is_due(0));
}

}  // namespace

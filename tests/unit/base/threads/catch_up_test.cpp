#include "base/threads/catch_up.hpp"

#include <gtest/gtest.h>

namespace {

using nearfork::catch_up;

TEST(catch_up, waits_until_the_others_have_caught_up) {
  int looks = 0;
  EXPECT_TRUE(catch_up::wait([&] { return ++looks == 2; }));
  EXPECT_EQ(looks, 2);
}

TEST(catch_up, does_not_wait_for_ever) {
  int looks = 0;
  EXPECT_FALSE(catch_up::wait([&] {
    ++looks;
    return false;
  }));
  EXPECT_GE(looks, 2);
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

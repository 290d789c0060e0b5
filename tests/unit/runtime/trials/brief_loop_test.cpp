// Whether loops are too brief to be shared, with times made by hand.
#include "runtime/trials/brief_loop.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace nearfork {
namespace {

constexpr std::uint64_t is_brief = 1'600;
constexpr std::uint64_t is_short = 8'000;

TEST(brief_loop, is_known_after_some_loops_and_stays_alone) {
  brief_loop seen;
  EXPECT_FALSE(seen.runs_alone()) << "a body may be a long one, and others would wait for it";
  for (std::uint32_t i = 0; i < brief_loop::loops_timed; ++i) {
    EXPECT_TRUE(seen.is_timed());
    seen.ended(1'000, is_brief, is_short);
    EXPECT_TRUE(seen.runs_alone()) << "the last one was short";
  }
  EXPECT_FALSE(seen.is_timed());
  for (int i = 0; i < 10'000; ++i) seen.ended(0, is_brief, is_short);
  EXPECT_TRUE(seen.runs_alone());
}

TEST(brief_loop, is_left_to_the_trial_if_loops_are_longer) {
  brief_loop seen;
  for (std::uint32_t i = 0; i < brief_loop::loops_timed; ++i) seen.ended(2'000, is_brief, is_short);
  EXPECT_FALSE(seen.may_be());
  EXPECT_FALSE(seen.runs_alone());
}

TEST(brief_loop, bears_one_that_takes_long_but_not_three_in_a_row) {
  brief_loop seen;
  for (int round = 0; round < 10; ++round) {
    seen.opened();
    for (int i = 0; i < 4; ++i) seen.ended(500, is_brief, is_short);
  }
  EXPECT_TRUE(seen.runs_alone());
  for (int i = 0; i < 3; ++i) seen.opened();
  EXPECT_FALSE(seen.may_be());
}

TEST(brief_loop, is_shared_while_loops_are_long) {
  brief_loop seen;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(seen.runs_alone());
    seen.ended(100'000, is_brief, is_short);
  }
  EXPECT_FALSE(seen.may_be());
}

}  // namespace
}  // namespace nearfork

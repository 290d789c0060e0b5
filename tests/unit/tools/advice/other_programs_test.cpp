#include "tools/advice/other_programs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nearfork::tools {
namespace {

TEST(other_programs, are_seen_in_the_first_line_of_proc_stat) {
  const auto times = processor_times_in("cpu  10 20 30 400 50 6 7 8 9 9\ncpu0 1 2 3 4 5 6 7 8 9 9\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->all, 10U + 20 + 30 + 400 + 50 + 6 + 7 + 8);
  EXPECT_EQ(times->busy, 10U + 20 + 30 + 6 + 7 + 8) << "waiting for a disk is idle";
  EXPECT_FALSE(processor_times_in(""));
  EXPECT_FALSE(processor_times_in("cpu  1 2 3"));
  EXPECT_FALSE(processor_times_in("intr 1 2 3 4 5 6 7 8 9"));
}

TEST(other_programs, took_what_the_program_did_not) {
  const processor_times before{.all = 1000, .busy = 500};
  const processor_times after{.all = 1200, .busy = 650};  // 1.5 s of 2 s
  EXPECT_NEAR(part_of_others(before, after, 500'000'000).value(), 0.5, 1e-9);
  EXPECT_NEAR(part_of_others(before, after, 0).value(), 0.75, 1e-9);
  EXPECT_EQ(part_of_others(before, after, 5'000'000'000), 0.0) << "the program's time is counted more finely";
  EXPECT_FALSE(part_of_others(before, {.all = 1009, .busy = 505}, 0)) << "too short";
  EXPECT_FALSE(part_of_others(after, before, 0));
}

TEST(other_programs, are_told_of_if_they_took_much) {
  EXPECT_THAT(note_on_others(0.5), testing::HasSubstr("took 50% of"));
  EXPECT_EQ(note_on_others(0.05), "");
  EXPECT_EQ(note_on_others(std::nullopt), "");
}

}  // namespace
}  // namespace nearfork::tools

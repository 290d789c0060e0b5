#include "tools/recordings/recording_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace nearfork::tools {
namespace {

using testing::HasSubstr;

/// Regions of one iteration each, one after the other.
recordings::recording with_regions(std::uint64_t count) {
  recordings::recording made;
  for (std::uint64_t i = 0; i < count; ++i) {
    recordings::region& one = made.regions.emplace_back();
    one.name = "r" + std::to_string(i);
    one.began = 10 * i + 1;
    one.ended = 10 * i + 9;
  }
  return made;
}

TEST(recording_facts, name_all_regions_that_ran_before_where_they_are_few) {
  EXPECT_THAT(text_of(with_regions(4), "g.nfg"), HasSubstr(", ran after r0, r1, r2\n"));
}

TEST(recording_facts, name_the_first_of_many_regions_that_ran_before) {
  const std::string text = text_of(with_regions(1000), "g.nfg");
  EXPECT_THAT(text, HasSubstr(", ran after r0, r1, r2, r3, r4, r5, r6, r7 and 991 more\n"));
  EXPECT_LT(text.size(), 200'000U);
}

}  // namespace
}  // namespace nearfork::tools

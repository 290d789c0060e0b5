#include "runtime/sight/page_sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace nearfork;
using testing::ElementsAre;

constexpr std::uint64_t small_page = 4096;

TEST(page_sample, asks_for_each_page_of_a_small_block) {
  const page_sample of(10 * small_page, 13 * small_page, small_page, 100);
  EXPECT_EQ(of.pages(), 3U);
  EXPECT_EQ(of.asked(), 3U);
  EXPECT_EQ(of.address_of(2), 12 * small_page);
  EXPECT_EQ(of.asked_for(10 * small_page), 0U);
  EXPECT_EQ(of.asked_for(13 * small_page - 1), 2U);
}

TEST(page_sample, counts_pages_that_it_has_a_part_of) {
  EXPECT_EQ(page_sample(small_page - 1, small_page + 1, small_page, 100).pages(), 2U);
  EXPECT_EQ(page_sample(small_page, small_page + 1, small_page, 100).pages(), 1U);
}

/// Each page belongs to the last asked page at or before it.
TEST(page_sample, stands_for_the_pages_up_to_the_next_one) {
  for (const std::uint64_t pages : {1U, 2U, 7U, 64U, 1000U})
    for (const std::uint64_t asked : {1U, 2U, 3U, 16U, 999U}) {
      const page_sample of(5 * small_page, (5 + pages) * small_page, small_page, asked);
      std::uint64_t expected = 0;
      for (std::uint64_t i = 0; i < pages; ++i) {
        const std::uintptr_t address = (5 + i) * small_page;
        while (expected + 1 < of.asked() && of.address_of(expected + 1) <= address) ++expected;
        ASSERT_EQ(of.asked_for(address), expected) << pages << " pages, " << asked << " asked, page " << i;
      }
    }
}

TEST(page_sample, counts_by_node) {
  EXPECT_THAT(counts_by_node({0, 2, nowhere, 2}), ElementsAre(1, 0, 2));
  EXPECT_TRUE(counts_by_node({nowhere, nowhere}).empty());
}

}  // namespace

#include "sim/memory/page_map.hpp"

#include <gtest/gtest.h>

namespace nearfork::sim {
namespace {

TEST(page_map, keeps_a_page_where_it_was_touched_first) {
  page_map pages(3);
  pages.write(0, 2);
  pages.write(0, 1);
  EXPECT_EQ(pages.read(0, 1), 2U);
  EXPECT_EQ(pages.read(1, 3), 3U) << "data from nowhere";
  pages.write(1, 0);
  EXPECT_EQ(pages.node_of(1), 3U);
}

TEST(page_map, may_wait_for_a_write) {
  page_map pages(2);
  pages.wait_for_writes();
  EXPECT_EQ(pages.read(0, 3), 3U) << "the page of zeros is near everyone";
  EXPECT_EQ(pages.read(0, 1), 1U);
  pages.write(0, 2);
  EXPECT_EQ(pages.read(0, 1), 2U);
  pages.place(1, 5);
  pages.write(1, 0);
  EXPECT_EQ(pages.read(1, 0), 5U);
}

}  // namespace
}  // namespace nearfork::sim

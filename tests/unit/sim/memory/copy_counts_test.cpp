#include "sim/memory/copy_counts.hpp"

#include <gtest/gtest.h>

namespace nearfork::sim {
namespace {

TEST(copy_counts, are_of_each_line) {
  copy_counts copies(3);
  copies.add(1, 2);
  copies.add(1, 1);
  copies.add(2, 1);
  copies.remove(2);
  EXPECT_TRUE(copies.none(0));
  EXPECT_EQ(copies.of(1), 3U);
  EXPECT_TRUE(copies.none(2));
}

TEST(copy_counts, never_come_to_none_where_there_were_too_many_to_count) {
  constexpr std::uint32_t most = 0xffff;
  copy_counts copies(2);
  copies.add(0, most - 1);
  EXPECT_EQ(copies.of(0), most - 1);
  copies.add(0, 3);
  EXPECT_EQ(copies.of(0), copy_counts::uncounted);
  for (std::uint32_t i = 0; i < most + 2; ++i) copies.remove(0);
  EXPECT_FALSE(copies.none(0));
  EXPECT_EQ(copies.of(0), copy_counts::uncounted);
  EXPECT_TRUE(copies.none(1));
}

}  // namespace
}  // namespace nearfork::sim

#include <gtest/gtest.h>

#include "memory/pools/node_pools_span.hpp"
#include "memory/pools/size_class.hpp"

namespace {

using namespace nearfork;

TEST(size_class, is_the_next_power_of_two_from_16) {
  const std::pair<std::size_t, std::size_t> expected[] = {{0, 16},        {1, 16},       {16, 16},     {17, 32},
                                                          {64, 64},       {65, 128},     {4096, 4096}, {4097, 8192},
                                                          {65535, 65536}, {65536, 65536}};
  for (const auto& [asked, bytes] : expected) EXPECT_EQ(block_bytes(class_for(asked, 1)), bytes) << asked;
}

TEST(size_class, grows_with_the_alignment) {
  EXPECT_EQ(block_bytes(class_for(8, 64)), 64U);
  EXPECT_EQ(block_bytes(class_for(100, 64)), 128U);
  EXPECT_EQ(block_bytes(class_for(1, 65536)), 65536U);
}

TEST(size_class, numbers_all_classes_without_gaps) {
  for (unsigned i = 0; i < size_classes; ++i) EXPECT_EQ(index_of(class_for(smallest_block_bytes << i, 1)), i);
  EXPECT_EQ(block_bytes(static_cast<size_class>(size_classes - 1)), largest_block_bytes);
}

TEST(pool_place, names_node_and_class) {
  const auto place = place_of(node_id{5}, class_for(100, 1));
  EXPECT_EQ(node_of_place(place), node_id{5});
  EXPECT_EQ(class_of_place(place), class_for(100, 1));
}

TEST(batch, is_32_kib_within_2_and_128_blocks) {
  EXPECT_EQ(batch_blocks(class_for(16, 1)), 128U);
  EXPECT_EQ(batch_blocks(class_for(1024, 1)), 32U);
  EXPECT_EQ(batch_blocks(class_for(65536, 1)), 2U);
}

}  // namespace

// How a runtime finds placed memory that its program uses.
#include "memory/system/region_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

#include <nearfork/allocator.hpp>
#include <nearfork/array.hpp>

#include "memory/placed/placed_memory.hpp"

namespace nearfork {
namespace {

TEST(used_memory, is_the_process_s_from_the_first_placed_block_on) {
  const array<int> block(1 << 20);
  EXPECT_EQ(used_memory.blocks.load(), &process_memory());
  EXPECT_TRUE(used_memory.blocks.load()->any_blocks());
}

TEST(used_memory, knows_the_pools_from_their_first_block_on) {
  const std::vector<int, allocator<int>> small(10);
  const auto of_pools = used_memory.of_pools.load();
  ASSERT_NE(of_pools, nullptr);
  EXPECT_TRUE(of_pools().empty()) << of_pools().front().what;
}

TEST(used_memory, is_strict_as_long_as_anybody_is) {
  const strict_memory lax(false);
  EXPECT_FALSE(used_memory.is_strict());
  {
    const strict_memory one(true);
    {
      const strict_memory other(true);
    }
    EXPECT_TRUE(used_memory.is_strict());
  }
  EXPECT_FALSE(used_memory.is_strict());
}

}  // namespace
}  // namespace nearfork

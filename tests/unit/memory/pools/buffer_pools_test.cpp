#include "memory/pools/buffer_pools.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <nearfork/error.hpp>

#include "fake_chunks.hpp"
#include "machines_with_memory.hpp"

namespace {

using namespace nearfork;
using test::chunk_books;
using test::pools_on;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(buffer_classes, a_power_of_two_and_the_next_byte_are_in_neighbouring_classes) {
  for (std::size_t bytes = smallest_buffer_bytes; bytes < largest_pooled_bytes; bytes *= 2) {
    ASSERT_TRUE(buffer_class_for(bytes) && buffer_class_for(bytes + 1)) << bytes;
    EXPECT_EQ(*buffer_class_for(bytes) + 1, *buffer_class_for(bytes + 1)) << bytes;
  }
  EXPECT_EQ(buffer_class_for(1), 0U);
  EXPECT_EQ(buffer_class_for(largest_pooled_bytes), buffer_classes - 1);
  EXPECT_FALSE(buffer_class_for(largest_pooled_bytes + 1));
}

TEST(buffer_pools, a_block_returns_to_its_own_node_whoever_frees_it) {
  auto books = std::make_shared<chunk_books>();
  const auto pools = pools_on(books, {8 * mebibyte, 8 * mebibyte});
  const pooled_block first = pools->take(node_id{1}, 512 << 10);
  const pooled_block kept = pools->take(node_id{1}, 512 << 10);
  EXPECT_EQ(books->node_holding(first.data), 1U);
  std::thread([&] { pools->give_back(first); }).join();
  const pooled_block again = pools->take(node_id{1}, 512 << 10);
  EXPECT_EQ(again.data, first.data);
  EXPECT_EQ(books->bytes_out(node_id{0}), 0U);
  pools->give_back(kept);
  pools->give_back(again);
  EXPECT_EQ(pools->blocks(), 0U);
  EXPECT_EQ(pools->most_blocks(), 2U);
}

TEST(buffer_pools, an_unused_chunk_serves_another_class) {
  auto books = std::make_shared<chunk_books>();
  const auto pools = pools_on(books, {2 * mebibyte});
  pools->give_back(pools->take(node_id{0}, 4096));
  const pooled_block large = pools->take(node_id{0}, 2 * mebibyte);
  EXPECT_THROW((void)pools->take(node_id{0}, 4096), std::bad_alloc);
  pools->give_back(large);
  pools->give_back(pools->take(node_id{0}, 4096));
  EXPECT_EQ(pools->facts()[0].taken, 1U);
}

TEST(buffer_pools, a_full_node_gives_way_to_the_nearest_and_the_report_says_so) {
  auto books = std::make_shared<chunk_books>();
  const auto pools = pools_on(books, {2 * mebibyte, 2 * mebibyte, 2 * mebibyte});
  std::vector<pooled_block> all;
  for (int i = 0; i < 3; ++i) all.push_back(pools->take(node_id{2}, 2 * mebibyte));
  EXPECT_EQ(all[0].node, node_id{2});
  EXPECT_EQ(all[1].node, node_id{1});
  EXPECT_EQ(all[2].node, node_id{0});
  EXPECT_THROW((void)pools->take(node_id{2}, 4096), std::bad_alloc);
  EXPECT_EQ(pools->facts()[2].elsewhere, 2U);
  const auto told = pools->shortfalls(*machine_with({1, 1, 1}));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].what, "2 buffers lie on another node");
  for (const pooled_block& one : all) pools->give_back(one);
}

TEST(buffer_pools, without_binding_blocks_are_left_to_first_touch_and_strict_throws) {
  static bool strict = false;
  auto books = std::make_shared<chunk_books>();
  books->binds = false;
  const auto pools = pools_on(books, {8 * mebibyte, 8 * mebibyte}, []() noexcept { return strict; });
  pools->give_back(pools->take(node_id{0}, 4096));
  ASSERT_EQ(pools->shortfalls(*machine_with({1, 1})).size(), 1U);
  strict = true;
  EXPECT_THROW((void)pools->take(node_id{1}, 4096), error);
  EXPECT_EQ(books->bytes_out(node_id{1}), 0U);
  strict = false;
}

TEST(buffer_pools, larger_blocks_are_chunks_of_their_own_and_go_back_at_once) {
  auto books = std::make_shared<chunk_books>();
  const auto pools = pools_on(books, {64 * mebibyte});
  const pooled_block large = pools->take(node_id{0}, 9 * mebibyte + 1);
  EXPECT_EQ(books->bytes_out(node_id{0}), 10 * mebibyte);
  pools->give_back(large);
  EXPECT_EQ(books->bytes_out(node_id{0}), 0U);
}

/// Blocks of random sizes live at the same time, keep their contents, and lie where they were wanted.
TEST(buffer_pools, blocks_never_overlap) {
  auto books = std::make_shared<chunk_books>();
  const auto pools = pools_on(books, {256 * mebibyte, 256 * mebibyte});
  struct living {
    pooled_block block;
    std::size_t bytes;
    std::uint8_t mark;
  };
  std::vector<living> all;
  std::mt19937 random(7);
  for (int step = 0; step < 2000; ++step) {
    if (all.size() > 60 || (!all.empty() && random() % 3 == 0)) {
      std::swap(all[random() % all.size()], all.back());
      const living one = all.back();
      EXPECT_EQ(one.block.data[0], std::byte{one.mark});
      EXPECT_EQ(one.block.data[one.bytes - 1], std::byte{one.mark});
      pools->give_back(one.block);
      all.pop_back();
      continue;
    }
    const std::size_t bytes = (std::size_t{4096} << (random() % 9)) + random() % 4096;
    const node_id node{static_cast<std::uint32_t>(random() % 2)};
    living one{pools->take(node, bytes), bytes, static_cast<std::uint8_t>(step)};
    EXPECT_EQ(books->node_holding(one.block.data), index_of_id(node));
    one.block.data[0] = one.block.data[bytes - 1] = std::byte{one.mark};
    all.push_back(one);
  }
  for (const living& one : all) pools->give_back(one.block);
  EXPECT_EQ(pools->blocks(), 0U);
}

}  // namespace

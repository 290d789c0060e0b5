// Freed blocks whose pages serve the next blocks of their sort.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "machines_with_memory.hpp"
#include "memory/placed/placed_memory.hpp"
#include "memory_of.hpp"

namespace nearfork {
namespace {

using test::fake_memory;
using test::fake_nodes;
using test::page;

constexpr std::uint64_t most_pages = kept_blocks::most_bytes / page;

class reused_memory : public testing::Test {
 protected:
  explicit reused_memory(std::vector<std::uint64_t> pages = {2 * most_pages})
      : nodes(pages), where(machine_with(pages)), memory(std::make_unique<fake_memory>(nodes), where) {}

  std::byte* allocate(std::uint64_t pages, const memory_options& options = {}) {
    return static_cast<std::byte*>(memory.allocate(pages * page, 8, options));
  }
  std::byte* reuse(std::uint64_t pages, const memory_options& options = {}) {
    return static_cast<std::byte*>(memory.reuse(pages * page, 8, options));
  }
  void touch(std::byte* block, std::uint64_t pages, int local = 0) {
    for (std::uint64_t i = 0; i < pages; ++i) nodes.touch(block + i * page, local);
  }
  /// True if a block freed under some options serves a request with other options.
  bool serves(const memory_options& freed, const memory_options& wished) {
    memory.give_back_kept();
    EXPECT_TRUE(memory.free(allocate(8, freed)));
    std::byte* const again = reuse(8, wished);
    return again != nullptr && memory.free(again);
  }

  fake_nodes nodes;
  std::shared_ptr<const machine> where;
  placed_memory memory;
};

TEST_F(reused_memory, is_that_of_a_freed_block_with_as_many_pages) {
  std::byte* const block = allocate(8);
  touch(block, 8);
  EXPECT_EQ(reuse(8), nullptr) << "nothing was freed yet";
  EXPECT_TRUE(memory.free(block));
  EXPECT_FALSE(memory.find(block)) << "what is kept is nobody's block";
  EXPECT_EQ(memory.totals().kept_bytes, 8 * page);
  EXPECT_EQ(memory.totals().blocks, 0U);
  EXPECT_EQ(reuse(7), nullptr);
  EXPECT_EQ(reuse(8), block);
  EXPECT_TRUE(memory.find(block + 8 * page - 1));
  EXPECT_EQ(reuse(8), nullptr) << "one block is one block";
  const memory_totals sum = memory.totals();
  EXPECT_EQ(sum.kept_bytes, 0U);
  EXPECT_EQ(sum.blocks, 1U);
  EXPECT_EQ(sum.blocks_made, 2U);
  EXPECT_EQ(sum.blocks_reused, 1U);
}

TEST_F(reused_memory, is_as_aligned_as_asked) {
  std::byte* const block = allocate(8);
  memory.free(block);
  std::size_t wide = std::size_t{1} << 30;
  while (reinterpret_cast<std::uintptr_t>(block) % wide == 0) wide *= 2;
  EXPECT_EQ(memory.reuse(8 * page, wide, {}), nullptr);
  EXPECT_EQ(memory.reuse(8 * page, block_registry::chunk_bytes, {}), block);
}

TEST_F(reused_memory, is_bounded_and_the_oldest_goes_first) {
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(allocate(most_pages / 4));
  for (std::byte* const one : blocks) memory.free(one);
  EXPECT_EQ(memory.totals().kept_bytes, kept_blocks::most_bytes);
  EXPECT_EQ(nodes.mapped.size(), 4U);
  EXPECT_FALSE(nodes.mapped.contains(reinterpret_cast<std::uintptr_t>(blocks[0])));
  EXPECT_EQ(reuse(most_pages / 4), blocks[4]) << "the caches may still hold it";
  std::byte* const large = allocate(most_pages + 1);
  memory.free(large);
  EXPECT_EQ(nodes.mapped.size(), 4U) << "too large to be kept";
}

TEST_F(reused_memory, is_offered_to_the_system_until_it_was_used_again) {
  std::byte* const block = allocate(8);
  touch(block, 8);
  memory.free(block);
  EXPECT_EQ(nodes.aside.size(), 8U);
  ASSERT_EQ(reuse(8), block);
  nodes.aside.clear();
  touch(block, 8);
  memory.free(block);
  EXPECT_TRUE(nodes.aside.empty()) << "a program that makes and frees such blocks all the time";
  EXPECT_EQ(reuse(8), block);
}

TEST_F(reused_memory, is_offered_beyond_what_malloc_would_keep) {
  constexpr std::uint64_t each = kept_blocks::most_own_bytes / page / 2;
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(allocate(each));
  for (std::byte* const one : blocks) memory.free(one);
  for (std::byte*& one : blocks) {
    one = reuse(each);
    ASSERT_NE(one, nullptr);
    touch(one, 1);
  }
  nodes.aside.clear();
  for (std::byte* const one : blocks) memory.free(one);
  EXPECT_THAT(nodes.aside, testing::ElementsAre(reinterpret_cast<std::uintptr_t>(blocks[2])));
}

TEST_F(reused_memory, goes_for_others_once_the_program_uses_others_only) {
  constexpr std::uint64_t most = kept_blocks::most_own_bytes / page;
  const auto make_and_free = [&](std::uint64_t pages) {
    std::byte* block = reuse(pages);
    if (block == nullptr) block = allocate(pages);
    touch(block, 1);
    nodes.aside.clear();
    memory.free(block);
    return nodes.aside.empty();
  };
  make_and_free(most / 2);
  EXPECT_TRUE(make_and_free(most / 2));
  make_and_free(most);
  EXPECT_FALSE(make_and_free(most)) << "the other one may come again";
  bool is_own = false;
  for (int i = 0; i < 256; ++i) is_own = make_and_free(most);
  EXPECT_TRUE(is_own);
  EXPECT_EQ(reuse(most / 2), nullptr);
}

TEST_F(reused_memory, goes_back_when_a_runtime_stops_or_addresses_run_out) {
  memory.free(allocate(8));
  memory.give_back_kept();
  EXPECT_TRUE(nodes.mapped.empty());
  EXPECT_EQ(memory.totals().kept_bytes, 0U);
  memory.free(allocate(8));
  nodes.refuse_map_while_mapped = ENOMEM;
  EXPECT_NE(allocate(16), nullptr) << "there is room once it is given back";
  EXPECT_EQ(nodes.mapped.size(), 1U);
}

TEST_F(reused_memory, is_not_kept_from_a_system_that_could_not_take_it_back) {
  nodes.refuse_aside = EINVAL;
  memory.free(allocate(8));
  EXPECT_TRUE(nodes.mapped.empty());
}

TEST_F(reused_memory, has_the_say_on_huge_pages_that_was_asked_for) {
  EXPECT_TRUE(serves({.huge = huge_pages::never}, {.huge = huge_pages::never}));
  EXPECT_FALSE(serves({.huge = huge_pages::never}, {}));
}

class reused_on_two_nodes : public reused_memory {
 protected:
  reused_on_two_nodes() : reused_memory({100, 100}) {}
};

// A freed block's pages lie where a thread touched them, or where there was room, and fill a node that others ask for.
TEST_F(reused_on_two_nodes, is_never_kept) {
  for (const placing& how : {placing::follow_plan(), placing::bound_to(1), placing::preferring(1),
                             placing::interleaved(), placing::by_capacity(), placing::by_weights({{0, 1}, {1, 1}})})
    EXPECT_FALSE(serves({.where = how}, {.where = how}));
  EXPECT_TRUE(nodes.mapped.empty());
}

}  // namespace
}  // namespace nearfork

#include "memory/allocation/small_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include <nearfork/allocator.hpp>
#include <nearfork/array.hpp>
#include <nearfork/error.hpp>
#include <nearfork/memory_resource.hpp>

#include "memory/placed/placed_memory.hpp"

#include "machines_with_memory.hpp"

namespace nearfork {
namespace {

memory_options on_node(unsigned os_node) {
  return {.where = placing::bound_to(os_node)};
}

TEST(nodes_for_threads, are_those_that_the_options_name_or_the_threads_own) {
  const auto where = load_machine("package:2 [numa(memory=4GiB)] l3:1 core:2 pu:1");
  const nodes_for_threads nodes(*where);
  EXPECT_FALSE(nodes.only_one());
  EXPECT_EQ(nodes.for_thread_at(os_index{0}, {}), node_id{0});
  EXPECT_EQ(nodes.for_thread_at(os_index{3}, {}), node_id{1});
  EXPECT_EQ(nodes.for_thread_at(os_index{3}, on_node(0)), node_id{0});
  EXPECT_EQ(nodes.for_thread_at(os_index{3}, on_node(9)), node_id{1}) << "that node is not there";
  EXPECT_EQ(nodes.for_thread_at(os_index{999}, {}), node_id{0}) << "nor is that PU";
}

std::string what_memory_lacks() {
  std::string all;
  for (const memory_shortfall& one : process_memory().shortfalls()) all += one.what + " (" + one.where + ")\n";
  return all;
}

TEST(small_blocks, on_a_node_that_is_not_there_are_a_shortfall_and_in_strict_mode_an_error) {
  allocator<int> absent(on_node(1000));
  {
    const strict_memory strict(true);
    EXPECT_THROW((void)absent.allocate(10), error);
  }
  int* const numbers = absent.allocate(10);
  absent.deallocate(numbers, 10);
  EXPECT_THAT(what_memory_lacks(),
              testing::HasSubstr("small blocks are not on the node that was asked for (node 1000)"));
}

// Blocks too large for pools and too small for pages of their own, whose options still choose a node.
TEST(small_blocks, in_between_are_placed_where_the_options_ask_for_pages) {
  constexpr std::size_t in_between = 100'000;
  allocator<char> plain;
  allocator<char> preferring(memory_options{.where = placing::preferring(0)});
  char* const from_heap = plain.allocate(in_between);
  char* const placed = preferring.allocate(in_between);
  EXPECT_FALSE(process_memory().find(from_heap));
  EXPECT_TRUE(process_memory().find(placed));
  preferring.deallocate(from_heap, in_between);
  plain.deallocate(placed, in_between);
  EXPECT_FALSE(process_memory().find(placed)) << "any allocator frees what any other allocated";
}

TEST(nodes_for_threads, of_a_domain_without_memory_are_the_nearest) {
  const auto where = machine_with({10, 10, 0, 10});
  EXPECT_EQ(nodes_for_threads(*where).for_thread_at(os_index{2}, {}), node_id{1});
}

std::uint64_t spans_taken() {
  std::uint64_t sum = 0;
  for (const node_pool_facts& one : process_node_pools().facts()) sum += one.taken;
  return sum;
}

TEST(small_blocks, come_from_the_pools_and_return_there_from_another_thread) {
  std::vector<std::vector<int, allocator<int>>> filled;
  for (int i = 0; i < 1000; ++i) filled.emplace_back(100, i);
  EXPECT_GT(spans_taken(), 0U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(filled[static_cast<std::size_t>(i)][99], i);
  std::thread([&] { filled.clear(); }).join();
  const std::uint64_t before = spans_taken();
  for (int i = 0; i < 1000; ++i) filled.emplace_back(100, i);
  EXPECT_LE(spans_taken(), before + 1) << "what was freed there is used again";
}

TEST(small_blocks, of_every_size_and_alignment_are_aligned_and_freed) {
  for (const std::size_t alignment :
       {std::size_t{1}, std::size_t{64}, std::size_t{4096}, std::size_t{1} << 16, std::size_t{1} << 17})
    for (const std::size_t bytes :
         {std::size_t{1}, largest_block_bytes, largest_block_bytes + 1, std::size_t{100'000}}) {
      array<unsigned char> made(bytes, {.alignment = alignment});
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made.data()) % alignment, 0U);
      for (unsigned char& one : made) {
        ASSERT_EQ(one, 0);
        one = 0xff;
      }
    }
}

TEST(placed_resource, gives_blocks_of_nothing_at_any_alignment) {
  placed_resource resource;
  for (std::size_t alignment = 1; alignment <= std::size_t{1} << 24; alignment *= 8) {
    void* const block = resource.allocate(0, alignment);
    EXPECT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    resource.deallocate(block, 0, alignment);
  }
}

}  // namespace
}  // namespace nearfork

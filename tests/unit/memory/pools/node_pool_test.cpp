#include "memory/pools/node_pools.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/error.hpp>

#include "machine/model/machine.hpp"
#include "tests/fake_spans.hpp"

namespace {

using namespace nearfork;
using test::fake_pools;

constexpr node_id node_0{0};
constexpr node_id node_1{1};
/// A span holds 15 blocks of the largest class: its header takes the place of a 16th.
constexpr std::size_t large_blocks_per_span = 15;

std::vector<void*> allocate_many(node_pools& from, node_id node, std::size_t bytes, std::size_t count) {
  std::vector<void*> made(count);
  for (void*& one : made) one = from.allocate(node, bytes, 16);
  return made;
}
void release_all(node_pools& to, const std::vector<void*>& blocks, std::size_t bytes) {
  for (void* const one : blocks) to.deallocate(one, bytes);
}

TEST(node_pools, blocks_lie_on_the_node_that_was_asked_for) {
  const fake_pools pools({4, 4});
  for (const node_id node : {node_1, node_0}) {
    void* const block = pools->allocate(node, 100, 8);
    EXPECT_EQ(node_pools::node_of(block), node);
    EXPECT_EQ(node_pools::node_of(static_cast<std::byte*>(block) + 99), node);
    EXPECT_EQ(pools.books->node_holding(block, 100), node);
    pools->deallocate(block, 100);
  }
}

TEST(node_pools, blocks_that_another_thread_frees_return_to_the_node_that_holds_them) {
  const fake_pools pools({8, 8});  // 512 blocks are whole batches, so this thread keeps none
  const auto first = allocate_many(*pools.pools, node_1, 1024, 512);
  std::thread([&] { release_all(*pools.pools, first, 1024); }).join();
  const auto spans = pools.books->spans_taken();
  const auto again = allocate_many(*pools.pools, node_1, 1024, 512);
  EXPECT_EQ(std::set(first.begin(), first.end()), std::set(again.begin(), again.end()));
  EXPECT_EQ(pools.books->spans_taken(), spans);
  release_all(*pools.pools, again, 1024);
}

TEST(node_pools, a_thread_that_ends_returns_its_magazines) {
  const fake_pools pools({8});
  std::thread([&] { release_all(*pools.pools, allocate_many(*pools.pools, node_0, 64, 1000), 64); }).join();
  pools->give_back();
  EXPECT_EQ(pools.books->spans_out(), 0U);
}

TEST(node_pools, spans_without_a_block_in_use_go_back_but_for_a_bounded_reserve) {
  const fake_pools pools({200});
  const auto blocks = allocate_many(*pools.pools, node_0, largest_block_bytes, 100 * large_blocks_per_span);
  EXPECT_EQ(pools.books->spans_out(), 100U);
  release_all(*pools.pools, blocks, largest_block_bytes);
  EXPECT_LE(pools.books->spans_out(), 32U + 2U + 1U);  // the reserve, unsorted spans, spans of the magazine
  pools->give_back();
  EXPECT_EQ(pools.books->spans_out(), 0U);
  const node_pool_facts facts = pools->facts().at(0);
  EXPECT_EQ(facts.peak_spans, 100U);
  EXPECT_EQ(facts.spans, 0U);
  EXPECT_EQ(facts.taken, facts.given_back);
}

TEST(node_pools, a_span_that_one_class_left_serves_another) {
  const fake_pools pools({1});
  release_all(*pools.pools, allocate_many(*pools.pools, node_0, 16, 10'000), 16);
  EXPECT_THROW((void)pools->allocate(node_0, 4096, 16), std::bad_alloc);  // magazines and batches keep the span
  pools->give_back();
  const auto blocks = allocate_many(*pools.pools, node_0, 4096, 255);
  EXPECT_EQ(pools.books->spans_out(), 1U);
  release_all(*pools.pools, blocks, 4096);
}

TEST(node_pools, a_full_node_is_stood_in_for_by_the_next_nearest_and_that_is_counted) {
  const fake_pools pools({1, 8});
  auto blocks = allocate_many(*pools.pools, node_0, largest_block_bytes, large_blocks_per_span + 2);
  EXPECT_EQ(node_pools::node_of(blocks[large_blocks_per_span - 1]), node_0);
  EXPECT_EQ(node_pools::node_of(blocks[large_blocks_per_span]), node_1);
  const auto facts = pools->facts();
  EXPECT_EQ(facts.at(0).blocks_elsewhere, 2U);
  EXPECT_EQ(facts.at(0).refused, 1U);
  EXPECT_EQ(facts.at(0).refusal_errno, ENOMEM);
  EXPECT_EQ(facts.at(1).blocks_elsewhere, 0U);
  release_all(*pools.pools, blocks, largest_block_bytes);
}

TEST(node_pools, a_node_is_used_again_once_it_has_room) {
  const fake_pools pools({1, 8});
  release_all(*pools.pools, allocate_many(*pools.pools, node_0, largest_block_bytes, large_blocks_per_span + 2),
              largest_block_bytes);
  pools->give_back();
  void* const block = pools->allocate(node_0, 16, 16);
  EXPECT_EQ(node_pools::node_of(block), node_0);
  pools->deallocate(block, 16);
}

constinit bool strict_mode = false;
bool is_strict_mode() noexcept {
  return strict_mode;
}

std::string refusal_of(const fake_pools& pools) {
  try {
    (void)pools->allocate(node_0, largest_block_bytes, 16);
  } catch (const error& refused) {
    return refused.what();
  }
  return "no error";
}

TEST(node_pools, strict_ones_refuse_a_full_node) {
  strict_mode = true;
  const fake_pools pools({1, 8}, is_strict_mode);
  auto blocks = allocate_many(*pools.pools, node_0, largest_block_bytes, large_blocks_per_span);
  EXPECT_NE(refusal_of(pools).find("65536 bytes cannot be had on memory node 0: it has no room"), std::string::npos)
      << refusal_of(pools);
  EXPECT_EQ(pools->facts().at(0).blocks_elsewhere, 0U);
  strict_mode = false;
  blocks.push_back(pools->allocate(node_0, largest_block_bytes, 16));
  EXPECT_EQ(node_pools::node_of(blocks.back()), node_1) << "no longer strict";
  release_all(*pools.pools, blocks, largest_block_bytes);
}

TEST(node_pools, strict_ones_refuse_what_is_not_bound) {
  strict_mode = true;
  const fake_pools pools({4, 4}, is_strict_mode);
  pools.books->binds = false;
  EXPECT_NE(refusal_of(pools).find("does not bind to it: Operation not permitted (errno 1)"), std::string::npos)
      << refusal_of(pools);
  EXPECT_EQ(pools.books->spans_out(), 0U) << "what could not be bound went back";
  EXPECT_EQ(pools->facts().at(0).first_touch, 0U);
  strict_mode = false;
  pools->deallocate(pools->allocate(node_0, 16, 16), 16);
  EXPECT_EQ(pools->facts().at(0).first_touch, 1U);
}

TEST(node_pools, no_memory_anywhere_is_bad_alloc) {
  const fake_pools pools({0, 0});
  EXPECT_THROW((void)pools->allocate(node_0, 16, 16), std::bad_alloc);
}

TEST(node_pools, what_they_do_not_serve_is_an_error_that_says_so) {
  const fake_pools pools({1});
  EXPECT_FALSE(node_pools::serves(largest_block_bytes + 1, 16));
  EXPECT_FALSE(node_pools::serves(16, 2 * largest_block_bytes));
  EXPECT_FALSE(node_pools::serves(16, 24));
  EXPECT_FALSE(node_pools::serves(16, 0));
  EXPECT_TRUE(node_pools::serves(largest_block_bytes, largest_block_bytes));
  EXPECT_THROW((void)pools->allocate(node_0, largest_block_bytes + 1, 16), error);
  EXPECT_THROW((void)pools->allocate(node_0, 16, 24), error);
  EXPECT_THROW((void)pools->allocate(node_1, 16, 16), error);
}

TEST(node_pools, spans_that_could_not_be_bound_are_counted_with_their_cause) {
  const fake_pools pools({4});
  pools.books->binds = false;
  pools->deallocate(pools->allocate(node_0, 16, 16), 16);
  EXPECT_EQ(pools->facts().at(0).first_touch, 1U);
  EXPECT_EQ(pools->facts().at(0).binding_errno, EPERM);
}

TEST(node_pools, nullptr_is_freed_without_effect) {
  const fake_pools pools({1});
  pools->deallocate(nullptr, 16);
  EXPECT_EQ(pools.books->spans_taken(), 0U);
}

TEST(node_pools, threads_may_outlive_pools_that_they_used) {
  std::optional<fake_pools> first(std::in_place, std::vector<std::size_t>{8});
  std::barrier both(2);
  std::thread user([&] {
    release_all(*first->pools, allocate_many(*first->pools, node_0, 64, 300), 64);
    both.arrive_and_wait();
    both.arrive_and_wait();
    const fake_pools second({8});
    release_all(*second.pools, allocate_many(*second.pools, node_0, 64, 300), 64);
  });
  both.arrive_and_wait();
  const auto books = first->books;
  first.reset();
  EXPECT_EQ(books->spans_out(), 0U);
  both.arrive_and_wait();
  user.join();
}

TEST(node_pools, one_thread_may_use_several_in_turn) {
  const fake_pools one({8}), other({8});
  for (int i = 0; i < 300; ++i) {
    void* const a = one->allocate(node_0, 64, 16);
    void* const b = other->allocate(node_0, 64, 16);
    one->deallocate(a, 64);
    other->deallocate(b, 64);
  }
  for (const fake_pools* pools : {&one, &other}) {
    pools->pools->give_back();
    EXPECT_EQ(pools->books->spans_out(), 0U);
  }
}

/// Allocates and frees after later thread-locals of its thread were destroyed.
struct last_user {
  node_pools* pools = nullptr;
  void* block = nullptr;
  ~last_user() {
    if (pools == nullptr) return;
    pools->deallocate(block, 64);
    pools->deallocate(pools->allocate(node_0, 64, 16), 64);
  }
};
thread_local last_user at_the_end;

TEST(node_pools, destructors_of_thread_locals_may_use_them) {
  const fake_pools pools({8});
  std::thread([&] {
    at_the_end.pools = pools.pools.get();  // made before the thread's magazines, so destroyed after them
    at_the_end.block = pools->allocate(node_0, 64, 16);
  }).join();
  pools->give_back();
  EXPECT_EQ(pools.books->spans_out(), 0U);
}

/// True if a forked child can use all classes of `pools`.
bool child_can_use(node_pools& pools) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // ends a child that waits for a lock for ever
    for (std::size_t bytes = 16; bytes <= largest_block_bytes; bytes *= 2)
      release_all(pools, allocate_many(pools, node_0, bytes, 300), bytes);
    ::_exit(7);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

TEST(node_pools, a_forked_child_goes_on_while_the_parents_threads_are_inside) {
  const fake_pools pools({400});
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop.load()) release_all(*pools.pools, allocate_many(*pools.pools, node_0, 32768, 50), 32768);
  });
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(child_can_use(*pools.pools));
  stop.store(true);
  busy.join();
}

TEST(node_pools_death_test, a_block_of_other_pools_stops_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const fake_pools mine({1}), others({1});
  void* const block = others->allocate(node_0, 16, 16);
  EXPECT_DEATH(mine->deallocate(block, 16), "not a block of these pools");
  others->deallocate(block, 16);
}

TEST(node_pools, nearest_nodes_come_first_by_the_machines_distances) {
  const auto machine = machine_from_synthetic("package:2 [numa] core:2 pu:1");
  EXPECT_EQ(nearest_nodes(*machine), (nodes_by_distance{{node_0, node_1}, {node_1, node_0}}));
}

TEST(node_pools, those_of_the_process_serve_the_live_machine) {
  node_pools& pools = process_node_pools();
  EXPECT_EQ(&process_node_pools(), &pools);
  const auto blocks = allocate_many(pools, node_0, 4096, 1000);
  for (void* const one : blocks) std::memset(one, 1, 4096);
  EXPECT_GT(pools.facts().at(0).spans + pools.facts().at(0).blocks_elsewhere, 0U);
  release_all(pools, blocks, 4096);
}

}  // namespace

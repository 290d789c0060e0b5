// The real list of returned batches and the real lock of the pools: no block is lost, and no block is given out twice.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "memory/pools/node_pools_lock.hpp"
#include "memory/pools/node_pools_returns.hpp"
#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

/// Batches of two blocks. `taken` counts how often each block was taken over.
struct batch_yard {
  returned_batches returned;
  std::array<pool_block, 6> blocks;
  std::array<int, 6> taken{};  // by block; one model thread runs at a time
  pool_lock lock;
  detail::seam::plain<int> guarded{0};

  /// What a thread does that frees blocks 2 * batch and 2 * batch + 1 and returns them.
  void give(std::size_t batch) {
    pool_block& first = blocks[2 * batch];
    blocks[2 * batch + 1].next = nullptr;
    first.next = &blocks[2 * batch + 1];
    (void)returned.push(&first);
  }
  /// What a thread does that takes all returned batches and allocates all their blocks: it writes to the links, as
  /// users do. Returns the number of batches.
  int take() {
    int batches = 0;
    for (pool_block* batch = returned.take_all(); batch != nullptr; ++batches) {
      pool_block* const next_batch = batch->next_batch;
      for (pool_block* block = batch; block != nullptr;) {
        pool_block* const next = block->next;
        ++taken[static_cast<std::size_t>(block - blocks.data())];
        block->next = nullptr;
        block->next_batch = nullptr;
        block = next;
      }
      batch = next_batch;
    }
    return batches;
  }
  void each_was_taken(int times, std::size_t batches) {
    (void)take();
    for (std::size_t i = 0; i < 2 * batches; ++i)
      model::require(taken[i] == times, "each block was taken over once a return");
  }
  void add_one() {
    lock.lock();
    guarded = guarded + 1;
    lock.unlock();
  }
};

TEST(returned_batches_model, what_was_written_to_a_block_is_seen_by_who_takes_it) {  // [B1]
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<batch_yard>();
        made.thread([=] { s->give(0); });
        made.thread([=] { (void)s->take(); });
        made.finally([=] { s->each_was_taken(1, 1); });
      },
      {.preemptions = 4}));
}

TEST(returned_batches_model, two_return_while_one_takes) {  // [B2]
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<batch_yard>();
        made.thread([=] {
          s->give(0);
          s->give(1);
        });
        made.thread([=] { s->give(2); });
        made.thread([=] {
          (void)s->take();
          (void)s->take();
        });
        made.finally([=] { s->each_was_taken(1, 3); });
      },
      {.preemptions = 2}));
}

TEST(returned_batches_model, two_takers_never_share_a_block) {  // [B2]
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<batch_yard>();
        made.thread([=] {
          s->give(0);
          s->give(1);
        });
        made.thread([=] { (void)s->take(); });
        made.thread([=] { (void)s->take(); });
        made.finally([=] { s->each_was_taken(1, 2); });
      },
      {.preemptions = 3}));
}

/// The top is taken, allocated, freed and returned again while another thread is between reading and replacing it.
TEST(returned_batches_model, a_batch_that_comes_back_meanwhile_is_not_mistaken) {  // [B3]
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<batch_yard>();
        made.thread([=] {
          s->give(0);
          if (s->take() == 1 && s->taken[2] == 0) s->give(0);
        });
        made.thread([=] { s->give(1); });
        made.finally([=] {
          (void)s->take();
          model::require(s->taken[0] >= 1 && s->taken[0] == s->taken[1], "the first batch is whole");
          model::require(s->taken[2] == 1 && s->taken[3] == 1, "the second batch was taken over once");
        });
      },
      {.preemptions = 4}));
}

TEST(returned_batches_model, the_lock_lets_in_one_at_a_time_and_forgets_nobody) {  // [B4], [B5]
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<batch_yard>();
        for (int i = 0; i < 3; ++i) made.thread([=] { s->add_one(); });
        made.finally([=] { model::require(s->guarded == 3, "all were inside"); });
      },
      {.preemptions = 2}));
}

}  // namespace

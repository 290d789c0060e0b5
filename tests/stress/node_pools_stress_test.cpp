// Threads allocate for each other and free each other's blocks at speed. Each block is freed once, by the thread that
// finds it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/rng.hpp"
#include "tests/fake_spans.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using namespace nearfork;

constexpr std::uint64_t blocks_per_thread = test::sanitized ? 20'000 : 200'000;
constexpr unsigned threads = 4;
constexpr std::uint64_t seed = 6;

/// What a block holds while it is in use.
struct letter {
  std::uint64_t id;
  std::size_t bytes;
  node_id node;
};

class post_office {
 public:
  explicit post_office(node_pools& pools) : pools_(pools), seen_(threads * blocks_per_thread) {}

  /// Leaves a letter in a random slot, and opens the letter that lay there.
  void work(unsigned thread) {
    rng draw = rng::for_stream(seed, thread);
    for (std::uint64_t i = 0; i < blocks_per_thread; ++i) {
      letter* const mine = write(thread * blocks_per_thread + i, draw);
      open(slots_[draw.below(slots)].exchange(mine, std::memory_order_acq_rel));
    }
  }
  void open_all() {
    for (auto& slot : slots_) open(slot.exchange(nullptr));
  }
  void each_was_opened_once() const {
    for (std::uint64_t id = 0; id < seen_.size(); ++id)
      ASSERT_EQ(seen_[id].load(), 1U) << "block " << id << ", seed " << seed;
  }

 private:
  letter* write(std::uint64_t id, rng& draw) {
    const std::size_t bytes = sizeof(letter) + draw.below(1U << (4 + draw.below(11)));
    const node_id node{draw.below(2)};
    return ::new (pools_.allocate(node, bytes, 16)) letter{id, bytes, node};
  }
  void open(letter* found) {
    if (found == nullptr) return;
    const letter read = *found;
    ASSERT_LT(read.id, seen_.size());
    ASSERT_EQ(node_pools::node_of(found), read.node);
    seen_[read.id].fetch_add(1);
    pools_.deallocate(found, read.bytes);
  }

  node_pools& pools_;
  std::vector<std::atomic<unsigned>> seen_;
  static constexpr std::uint32_t slots = 512;
  std::array<std::atomic<letter*>, slots> slots_{};
};

TEST(node_pools_stress, blocks_freed_by_any_thread_are_neither_lost_nor_double) {
  const test::fake_pools pools({500, 500});
  post_office office(*pools.pools);
  {
    std::vector<std::jthread> all;
    for (unsigned i = 0; i < threads; ++i) all.emplace_back([&office, i] { office.work(i); });
  }
  office.open_all();
  office.each_was_opened_once();
  pools->give_back();
  EXPECT_EQ(pools.books->spans_out(), 0U);
}

TEST(node_pools_stress, threads_that_come_and_go_leave_nothing_behind) {
  const test::fake_pools pools({500});
  for (int round = 0; round < (test::sanitized ? 20 : 200); ++round) {
    std::vector<std::vector<void*>> blocks(threads);
    const auto in_all = [&](auto act) {
      std::vector<std::jthread> all;
      for (unsigned i = 0; i < threads; ++i) all.emplace_back([&act, i] { act(i); });
    };
    in_all([&](unsigned i) {
      for (int k = 0; k < 300; ++k) blocks[i].push_back(pools->allocate(node_id{0}, 256, 16));
    });
    in_all([&](unsigned i) {
      for (void* const one : blocks[(i + 1) % threads]) pools->deallocate(one, 256);
    });
  }
  EXPECT_LE(pools->facts().at(0).peak_spans, 4U);
  pools->give_back();
  EXPECT_EQ(pools.books->spans_out(), 0U);
}

}  // namespace

#include "runtime/cells/web_memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "base/sanitizer_calls.hpp"
#include "runtime/protocols/chunk_reserve.hpp"

namespace nearfork {
namespace {

TEST(web_memory, gives_each_byte_once) {
  web_memory memory;
  std::vector<std::span<std::byte>> taken;
  for (std::size_t i = 1; i < 200; ++i) {
    const std::size_t least = 16 * i;
    taken.push_back(memory.take(least, 2 * least));
    EXPECT_GE(taken.back().size(), least);
    EXPECT_LE(taken.back().size(), 2 * least);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.back().data()) % web_memory::alignment, 0U);
    std::memset(taken.back().data(), static_cast<int>(i), taken.back().size());
  }
  for (std::size_t i = 1; i < 200; ++i)
    for (const std::byte each : taken[i - 1]) ASSERT_EQ(each, static_cast<std::byte>(i));
}

/// Chunks of a graph, which the next graph of the same runtime takes.
TEST(web_memory, goes_from_one_graph_to_the_next) {
  if (sanitizers::checks_addresses()) GTEST_SKIP() << "then nothing is kept";
  chunk_reserve reserve;
  std::set<const std::byte*> before;
  for (int round = 0; round < 3; ++round) {
    web_memory memory(&reserve);
    std::set<const std::byte*> now;
    for (int i = 0; i < 10; ++i) now.insert(memory.take(40'000, 40'000).data());
    if (round == 0) before = now;
    EXPECT_EQ(now, before);
  }
}

TEST(chunk_reserve, keeps_so_much_and_no_more) {
  chunk_reserve reserve;
  chunk_reserve::chunk* all = nullptr;
  for (std::size_t i = 0; i < 2 * chunk_reserve::most_kept; ++i) {
    chunk_reserve::chunk* const one = reserve.take();
    one->next = all;
    all = one;
  }
  reserve.give(all);  // a leak sanitizer would find what does not go back to the system
  EXPECT_EQ(reserve.kept(), sanitizers::checks_addresses() ? 0 : chunk_reserve::most_kept);
}

TEST(chunk_reserve, gives_each_chunk_to_one_thread) {
  chunk_reserve reserve;
  std::atomic<int> wrong = 0;
  const auto use = [&](std::byte mark) {
    for (int i = 0; i < 2000; ++i) {
      web_memory memory(&reserve);
      const auto mine = memory.take(64, 64);
      std::memset(mine.data(), static_cast<int>(mark), mine.size());
      for (const std::byte each : mine)
        if (each != mark) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i) threads.emplace_back(use, static_cast<std::byte>(i));
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace nearfork

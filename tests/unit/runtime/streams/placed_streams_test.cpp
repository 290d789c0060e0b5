// Streams on machines with several memory nodes: described ones, with fakes for memory. Threads are real.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <nearfork/dataflow.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/nearfork.hpp>

#include "runtime_on_nodes.hpp"

namespace {

using namespace nearfork;

constexpr std::size_t burst = 8192;  // elements: 64 KiB, as the threshold of pushing
constexpr std::size_t burst_bytes = burst * sizeof(std::uint64_t);
using words = std::span<const std::uint64_t>;

class placed_streams : public test::runtime_on_nodes {
 protected:
  void start() { runtime_on_nodes::start(3); }
};

TEST_F(placed_streams, bursts_are_written_locally_and_readers_are_pushed_to_them) {
  start();
  constexpr std::size_t count = 300;
  std::atomic<std::uint64_t> remote_writes{0};
  std::atomic<std::size_t> wrong{0};
  run->run([&] {
    dataflow graph;
    const auto s = graph.stream<std::uint64_t>();
    for (std::size_t i = 0; i < count; ++i) {
      graph.task({out(s, burst)}, [&, i](std::span<std::uint64_t> to) {
        if (books->node_holding(to.data()) != node_here()) ++remote_writes;
        to.front() = to.back() = i;
      });
      graph.task({in(s, burst)}, [&, i](words from) {
        if (from.front() != i || from.back() != i) ++wrong;
      });
    }
    graph.sync();
  });
  EXPECT_EQ(remote_writes, 0U);
  EXPECT_EQ(wrong, 0U);
  const dataflow_report seen = run->report().dataflow;
  EXPECT_EQ(seen.pushed + seen.stayed, 2 * count);
  EXPECT_EQ(seen.local_bytes + seen.remote_bytes, 2 * count * burst_bytes) << "all nodes are known";
  EXPECT_EQ(pools->blocks(), 0U);
}

/// Windows begin in the middle of a burst and end in the middle of another.
TEST_F(placed_streams, windows_over_bursts_are_copied_and_given_back) {
  for (const buffer_memory alloc : {buffer_memory::deferred, buffer_memory::immediate}) {
    settings.alloc = alloc;
    start();
    constexpr std::size_t count = 60;
    std::atomic<std::size_t> wrong{0};
    run->run([&] {
      dataflow graph;
      const auto s = graph.stream<std::uint64_t>();
      graph.task({in(s, burst / 2)}, [](words) {});
      for (std::size_t i = 0; i < count; ++i)
        graph.task({in(s, burst, 2 * burst)}, [&, i](words from) {
          for (std::size_t at = 0; at < from.size(); ++at) wrong += from[at] != burst / 2 + i * burst + at ? 1 : 0;
        });
      for (std::size_t i = 0; i < count + 2; ++i)
        graph.task({out(s, burst)}, [i](std::span<std::uint64_t> to) {
          for (std::size_t at = 0; at < burst; ++at) to[at] = i * burst + at;
        });
      graph.sync();
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(run->report().dataflow.unknown_bytes, 0U);
    EXPECT_EQ(pools->blocks(), 0U);
    run.reset();
  }
}

/// A film whose first stage waits for the last one's leave, two frames ahead.
TEST_F(placed_streams, a_stream_of_leaves_bounds_the_memory_of_a_pipeline) {
  start();
  run->run([&] {
    dataflow graph;
    const auto leaves = graph.stream<char>();
    const auto frames = graph.stream<std::uint64_t>();
    graph.task({out(leaves, 2)}, [](std::span<char> to) { std::ranges::fill(to, char{1}); });
    for (std::uint64_t i = 0; i < 100; ++i) {
      graph.task({in(leaves), out(frames, burst)},
                 [i](std::span<const char>, std::span<std::uint64_t> to) { to[0] = i; });
      graph.task({in(frames, burst), out(leaves)}, [&](words from, std::span<char> leave) {
        leave[0] = 1;
        if (from[0] % 10 == 0) std::this_thread::yield();
      });
    }
    graph.sync();
  });
  EXPECT_LE(run->report().dataflow.buffers_at_most, 3U);
  EXPECT_EQ(pools->blocks(), 0U);
}

}  // namespace

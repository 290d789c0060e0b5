#include <gtest/gtest.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::dataflow;
using nearfork::in;
using nearfork::inout;
using nearfork::out;
using nearfork::peek;
using nearfork::test::said_by;
using nearfork::test::with_workers;
using testing::HasSubstr;

using numbers = std::vector<int>;

class streams_with : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, streams_with, testing::Values(1U, 2U, 4U));

/// Writes `count` elements, from `first` on.
void write_numbers(dataflow& graph, const nearfork::stream<int>& to, int first, std::size_t count) {
  graph.task({out(to, count)}, [first](std::span<int> some) { std::iota(some.begin(), some.end(), first); });
}

/// What a task that is created now reads.
numbers& read_numbers(dataflow& graph, const nearfork::access& what, std::vector<numbers>& all) {
  numbers& mine = all.emplace_back();
  graph.task({what}, [&mine](std::span<const int> some) { mine.assign(some.begin(), some.end()); });
  return mine;
}

TEST_P(streams_with, elements_come_in_the_order_of_creation_whatever_the_bursts) {
  std::vector<numbers> seen;
  seen.reserve(100);
  runtime_.run([&] {
    dataflow graph;
    const auto s = graph.stream<int>();
    for (int i = 0; i < 6; ++i) (void)read_numbers(graph, in(s, 2), seen);  // before there are elements
    for (int i = 0; i < 8; ++i) write_numbers(graph, s, 3 * i, 3);
    for (int i = 0; i < 3; ++i) (void)read_numbers(graph, in(s, 4), seen);
    graph.sync();
  });
  int next = 0;
  for (const numbers& each : seen)
    for (const int one : each) EXPECT_EQ(one, next++);
  EXPECT_EQ(next, 24);
}

TEST_P(streams_with, peeks_take_nothing_and_windows_overlap) {
  std::vector<numbers> seen;
  seen.reserve(10);
  runtime_.run([&] {
    dataflow graph;
    const auto s = graph.stream<int>();
    const numbers& ahead = read_numbers(graph, peek(s, 3), seen);
    const numbers& first = read_numbers(graph, in(s, 1), seen);
    const numbers& sliding = read_numbers(graph, in(s, 1, 4), seen);
    const numbers& next = read_numbers(graph, in(s, 2, 3), seen);
    numbers now;
    numbers later;
    graph.task({in(s), peek(s, 2)}, [&](std::span<const int> a, std::span<const int> b) {
      now.assign(a.begin(), a.end());
      later.assign(b.begin(), b.end());
    });
    numbers same;
    graph.task({peek(s), in(s, 2)}, [&](std::span<const int> a, std::span<const int> b) { same = {a[0], b[0], b[1]}; });
    for (int i = 0; i < 8; ++i) write_numbers(graph, s, i, 1);
    graph.wait();
    EXPECT_EQ(ahead, (numbers{0, 1, 2}));
    EXPECT_EQ(first, (numbers{0}));
    EXPECT_EQ(sliding, (numbers{1, 2, 3, 4}));
    EXPECT_EQ(next, (numbers{2, 3, 4}));
    EXPECT_EQ(now, (numbers{4}));
    EXPECT_EQ(later, (numbers{5, 6}));
    EXPECT_EQ(same, (numbers{5, 5, 6}));
    graph.sync();
  });
}

TEST_P(streams_with, large_bursts_are_cut_and_joined) {
  static constexpr std::size_t burst = 3000;  // more than bursts that share memory
  std::size_t wrong = 0;
  runtime_.run([&] {
    dataflow graph;
    const auto s = graph.stream<int>();
    for (std::size_t i = 0; i < 10; ++i) write_numbers(graph, s, static_cast<int>(i * burst), burst);
    for (std::size_t i = 0; i < 20; ++i)
      graph.task({in(s, burst / 2), inout(wrong)}, [i, &wrong](std::span<const int> some, std::span<std::size_t>) {
        for (std::size_t at = 0; at < some.size(); ++at) wrong += some[at] != static_cast<int>(i * burst / 2 + at);
      });
    const auto joined = graph.stream<int>();
    graph.task({in(joined, 6 * burst), inout(wrong)}, [&wrong](std::span<const int> all, std::span<std::size_t>) {
      for (std::size_t at = 0; at < all.size(); ++at) wrong += all[at] != static_cast<int>(at);
    });
    for (std::size_t i = 0; i < 6; ++i) write_numbers(graph, joined, static_cast<int>(i * burst), burst);
    graph.sync();
  });
  EXPECT_EQ(wrong, 0U);
}

TEST_P(streams_with, a_loop_through_a_stream_runs_on_elements_that_come_first) {
  int last = 0;
  runtime_.run([&] {
    dataflow graph;
    const auto s = graph.stream<int>();
    EXPECT_THAT(said_by([&] { graph.task({in(s, 2), out(s, 2)}, [](std::span<const int>, std::span<int>) {}); }),
                HasSubstr("would read elements of the stream of"));
    write_numbers(graph, s, 0, 2);
    for (int i = 0; i < 1000; ++i)
      graph.task({in(s, 2), out(s, 2)}, [](std::span<const int> from, std::span<int> to) {
        to[0] = from[1];
        to[1] = (from[0] + from[1]) % 1009;
      });
    graph.task({in(s, 2)}, [&](std::span<const int> some) { last = some[1]; });
    graph.sync();
  });
  int a = 0;
  int b = 1;
  for (int i = 0; i < 1000; ++i) a = std::exchange(b, (a + b) % 1009);
  EXPECT_EQ(last, b);
}

TEST_P(streams_with, tasks_that_wait_for_elements_are_named_and_the_stream_goes_on) {
  runtime_.run([&] {
    dataflow graph;
    const auto s = graph.stream<int>();
    const int made_at = __LINE__ - 1;
    std::vector<numbers> seen;
    seen.reserve(10);
    write_numbers(graph, s, 0, 5);
    (void)read_numbers(graph, in(s, 2), seen);
    int line = __LINE__ + 1;
    graph.task({in(s, 4)}, [](std::span<const int>) { ADD_FAILURE(); });
    bool after = false;
    graph.task({in(s, 1), out(after)}, [](std::span<const int>, std::span<bool>) { ADD_FAILURE(); });
    const std::string said = said_by([&] { graph.wait(); });
    EXPECT_THAT(said, HasSubstr("2 tasks of a graph can never run"));
    EXPECT_THAT(said,
                HasSubstr("streams_test.cpp:" + std::to_string(line) + " reads elements 2 to 5 of the stream of"));
    EXPECT_THAT(said, HasSubstr("streams_test.cpp:" + std::to_string(made_at) + ", of which tasks write only 5"));
    write_numbers(graph, s, 5, 1);
    const numbers& next = read_numbers(graph, in(s, 1), seen);
    graph.wait();
    EXPECT_EQ(next, (numbers{5}));

    const auto other = graph.stream<int>();
    line = __LINE__ + 1;
    graph.task({in(s), out(other)}, [](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
    graph.task({in(other), out(s)}, [](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
    const std::string ring = said_by([&] { graph.sync(); });
    EXPECT_THAT(ring, HasSubstr("each of these waits for the one before"));
    EXPECT_THAT(ring, HasSubstr("streams_test.cpp:" + std::to_string(line)));
  });
}

TEST_P(streams_with, who_reads_a_failed_tasks_elements_is_skipped) {
  std::atomic<int> ran{0};
  runtime_.run([&] {
    dataflow graph;
    const auto s = graph.stream<int>();
    const auto t = graph.stream<int>();
    const auto count = [&](std::span<const int>) { ++ran; };
    graph.task({in(s, 2), out(t)}, [&](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
    graph.task({out(s)}, [](std::span<int> to) { to[0] = 1; });
    graph.task({out(s)}, [](std::span<int>) { throw std::runtime_error("first"); });
    graph.task({out(s, 2)}, [](std::span<int> to) { std::ranges::fill(to, 1); });
    graph.task({in(s)}, count);
    graph.task({in(s)}, count);
    graph.task({in(t)}, [](std::span<const int>) { ADD_FAILURE(); });
    EXPECT_EQ(said_by([&] { graph.wait(); }), "first");
    EXPECT_EQ(ran.load(), 2);

    graph.task({out(s)}, [](std::span<int>) { throw std::runtime_error("second"); });
    EXPECT_EQ(said_by([&] { graph.wait(); }), "second");
    graph.task({in(s)}, [](std::span<const int>) { ADD_FAILURE(); });  // what is lost stays lost
    graph.sync();
  });
}

TEST_P(streams_with, elements_stay_over_waits_and_unread_ones_are_no_error) {
  std::vector<numbers> seen;
  seen.reserve(2);
  runtime_.run([&] {
    dataflow graph;
    const auto s = graph.stream<int>();
    write_numbers(graph, s, 0, 4);
    graph.wait();
    (void)read_numbers(graph, in(s, 2), seen);
    graph.wait();
    (void)read_numbers(graph, in(s, 1), seen);
    for (int i = 0; i < 1000; ++i) write_numbers(graph, graph.stream<int>(), 0, 5000);
    graph.sync();
  });
  EXPECT_EQ(seen[0], (numbers{0, 1}));
  EXPECT_EQ(seen[1], (numbers{2}));
}

TEST_P(streams_with, producers_and_consumers_that_tasks_create_lose_nothing) {
  constexpr std::size_t each_writes = 50;
  constexpr std::size_t makers = 20;
  std::vector<std::atomic<int>> seen(makers * each_writes);
  runtime_.run([&] {
    dataflow graph;
    const auto s = graph.stream<std::uint32_t>();
    std::array<int, makers> keys{};
    for (std::size_t maker = 0; maker < makers; ++maker) {
      graph.task({out(keys[maker])}, [&, s, maker] {
        for (std::size_t i = 0; i < each_writes; ++i)
          graph.task({out(s)}, [id = static_cast<std::uint32_t>(maker * each_writes + i)](std::span<std::uint32_t> to) {
            to[0] = id;
          });
      });
      graph.task({in(s, each_writes)}, [&](std::span<const std::uint32_t> ids) {
        for (const std::uint32_t id : ids) ++seen[id];
      });
    }
    graph.sync();
  });
  EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& each) { return each == 1; }));
}

TEST(streams, bad_accesses_are_named) {
  dataflow graph;
  dataflow other;
  const auto s = graph.stream<double>();
  const auto foreign = other.stream<double>();
  const nearfork::stream<double> none;
  const auto read = [](std::span<const double>) {};
  const auto write = [](std::span<double>) {};
  EXPECT_THAT(said_by([&] { graph.task({out(s, 0)}, write); }), HasSubstr("names no elements of the stream of"));
  EXPECT_THAT(said_by([&] { graph.task({in(s, 0)}, read); }), HasSubstr("streams_test.cpp:"));
  EXPECT_THAT(said_by([&] { graph.task({peek(s, 0)}, read); }), HasSubstr("at least 1 element"));
  EXPECT_THAT(said_by([&] { graph.task({in(s, 3, 2)}, read); }), HasSubstr("takes 3 elements from the stream of"));
  EXPECT_THAT(said_by([&] { graph.task({in(s, std::numeric_limits<std::size_t>::max() / 4)}, read); }),
              HasSubstr("than fit into memory"));
  EXPECT_THAT(said_by([&] { graph.task({in(foreign)}, read); }), HasSubstr("belongs to another graph"));
  EXPECT_THAT(said_by([&] { graph.task({in(none)}, read); }), HasSubstr("a handle without a buffer or stream"));
  EXPECT_THAT(said_by([&] { graph.task({in(s)}, [] {}); }), HasSubstr("must take a std::span"));
  EXPECT_THAT(said_by([&] { graph.task({in(s)}, write); }), HasSubstr("may change"));
  EXPECT_THAT(said_by([&] { graph.task({in(s)}, [](std::span<const float>) {}); }), HasSubstr("another type"));
  EXPECT_THAT(said_by([&] { graph.task({out(s), in(s)}, [](std::span<double>, std::span<const double>) {}); }),
              HasSubstr("that it writes itself"));
  graph.sync();
  EXPECT_THAT(said_by([&] { graph.task({out(s)}, write); }), HasSubstr("after sync()"));
}

TEST(streams, handles_may_outlive_the_graph) {
  nearfork::stream<int> s;
  {
    dataflow graph;
    s = graph.stream<int>();
    graph.task({out(s, 7000)}, [](std::span<int> all) { std::ranges::fill(all, 1); });
  }
  const nearfork::stream<int> copy = s;
  s = {};
}

}  // namespace

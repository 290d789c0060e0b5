#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::access;
using nearfork::commutative;
using nearfork::dataflow;
using nearfork::in;
using nearfork::inout;
using nearfork::out;
using nearfork::reduction;
using nearfork::test::message_of;
using nearfork::test::with_workers;

class dataflow_with : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, dataflow_with, testing::Values(1U, 2U, 5U));

TEST_P(dataflow_with, tasks_that_create_tasks_and_wait_inside_keep_the_order) {
  std::vector<int> order;
  int key = 0;
  runtime_.run([&] {
    dataflow graph;
    for (int i = 0; i < 200; ++i)
      graph.task({inout(key)}, [&, i] {
        int forked = 0;
        nearfork::parallel_for(0, 10, [&](int) { std::atomic_ref(forked).fetch_add(1); });
        order.push_back(i);
        if (i % 50 == 0) graph.task({inout(key)}, [&, forked] { order.push_back(1000 + forked); });
      });
    graph.sync();
  });
  ASSERT_EQ(order.size(), 204U);
  std::vector<int> plain;
  std::ranges::copy_if(order, std::back_inserter(plain), [](int each) { return each < 1000; });
  EXPECT_TRUE(std::ranges::is_sorted(plain));
  EXPECT_EQ(std::ranges::count(order, 1010), 4);
}

/// Each task waits for the next one, so none may keep ready tasks from workers.
TEST_P(dataflow_with, ready_tasks_do_not_wait_for_the_end_of_running_ones) {
  constexpr std::size_t tasks = 8;
  std::array<std::optional<nearfork::resumer>, tasks> waiting;
  std::array<std::atomic<bool>, tasks> waits{};
  std::array<int, tasks> values{};
  runtime_.run([&] {
    dataflow graph;
    for (std::size_t i = 0; i < tasks; ++i)
      graph.task({out(values[i])}, [&, i] {
        if (i + 1 < tasks)
          nearfork::suspend([&](nearfork::resumer done) {
            waiting[i] = std::move(done);
            waits[i] = true;
          });
        if (i > 0) {
          while (!waits[i - 1]) std::this_thread::yield();
          waiting[i - 1]->resume();
        }
        values[i] = 1;
      });
    graph.sync();
  });
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), static_cast<int>(tasks));
}

TEST_P(dataflow_with, commuting_tasks_run_one_at_a_time) {
  std::atomic<int> inside{0};
  std::atomic<int> met{0};
  std::array<int, 3> sums{};
  runtime_.run([&] {
    dataflow graph;
    for (std::size_t i = 0; i < 60; ++i)
      graph.task({commutative(std::span(sums).first(1 + i % 3)), commutative(sums[2])}, [&] {
        if (inside.fetch_add(1) != 0) met.fetch_add(1);
        nearfork::async([] {}).get();  // the worker may take another task meanwhile
        ++sums[0];
        inside.fetch_sub(1);
      });
    graph.sync();
  });
  EXPECT_EQ(met.load(), 0);
  EXPECT_EQ(sums[0], 60);
}

std::atomic<int> folding{0};
std::atomic<int> folds_met{0};

struct watched_plus {
  static int identity() { return 0; }
  int operator()(int a, int b) const {
    if (folding.fetch_add(1) != 0) folds_met.fetch_add(1);
    nearfork::async([] {}).get();
    folding.fetch_sub(1);
    return a + b;
  }
};

TEST_P(dataflow_with, copies_of_reductions_are_folded_one_at_a_time) {
  std::array<int, 2> sums{5, 7};
  runtime_.run([&] {
    dataflow graph;
    for (int i = 0; i < 40; ++i)
      graph.task({reduction(sums, watched_plus())}, [i](std::span<int> mine) { mine[0] += i; });
    int seen = 0;
    graph.task({in(sums), out(seen)}, [](std::span<const int> from, std::span<int> to) { to[0] = from[0]; });
    graph.sync();
    EXPECT_EQ(seen, 5 + 780);
  });
  EXPECT_EQ(sums[1], 7);
  EXPECT_EQ(folds_met.exchange(0), 0);
}

TEST_P(dataflow_with, threads_outside_create_tasks_too) {
  std::vector<long> sums(4);
  {
    dataflow graph(runtime_);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < sums.size(); ++t)
      threads.emplace_back([&, t] {
        for (long i = 0; i < 500; ++i)
          graph.task({inout(sums[t])}, [&sums, t, i] { sums[t] = sums[t] * 3 % 1009 + i; });
      });
    for (auto& each : threads) each.join();
    graph.sync();
  }
  long expected = 0;
  for (long i = 0; i < 500; ++i) expected = expected * 3 % 1009 + i;
  for (const long each : sums) EXPECT_EQ(each, expected);
}

TEST_P(dataflow_with, many_different_data_keep_their_order) {
  std::vector<int> values(3'000);
  runtime_.run([&] {
    dataflow graph;
    for (int round = 1; round <= 3; ++round)
      for (int& each : values) graph.task({inout(each)}, [&each, round] { each = each * 5 + round; });
    graph.sync();
  });
  EXPECT_EQ(std::ranges::count(values, 5 * (5 * 1 + 2) + 3), 3'000);
}

TEST_P(dataflow_with, tiles_conflict_row_by_row) {
  constexpr std::size_t side = 8;
  std::vector<int> matrix(side * side);
  const auto tile = [&](std::size_t row, std::size_t column) {
    return inout(std::span(matrix).subspan(row * side + column, 4), 4, side);
  };
  runtime_.run([&] {
    dataflow graph;
    for (int round = 0; round < 20; ++round)
      for (const std::size_t at : {0U, 2U, 4U})
        graph.task({tile(at, at)}, [&matrix, at, round] {
          for (std::size_t i = 0; i < 16; ++i) {
            int& one = matrix[(at + i / 4) * side + at + i % 4];
            one = one * 5 % 997 + round + static_cast<int>(at);
          }
        });
    graph.sync();
  });
  std::vector<int> expected(side * side);
  for (int round = 0; round < 20; ++round)
    for (const std::size_t at : {0U, 2U, 4U})
      for (std::size_t i = 0; i < 16; ++i) {
        int& one = expected[(at + i / 4) * side + at + i % 4];
        one = one * 5 % 997 + round + static_cast<int>(at);
      }
  EXPECT_EQ(matrix, expected);
}

TEST_P(dataflow_with, tiles_that_do_not_fit_into_memory_are_refused) {
  runtime_.run([&] {
    std::vector<int> matrix(100);
    const auto first = std::span(matrix).first(4);
    const std::size_t low = 10;
    const std::size_t high = 5;
    dataflow graph;
    const auto make = [&](const access& tile) { graph.task({tile}, [] {}); };
    for (const access& tile : {in(first, high - low, 10), inout(first, high - low, 10), in(first, 3'000'000, 0),
                               out(first, 3'000'000, SIZE_MAX / 8)})
      EXPECT_NE(message_of([&] { make(tile); }).find("do not fit into memory"), std::string::npos);
    graph.sync();
  });
}

// --- failures ---

TEST_P(dataflow_with, the_first_failure_is_thrown_and_what_depends_on_it_is_skipped) {
  runtime_.run([&] {
    dataflow graph;
    int a = 0;
    int b = 0;
    int c = 0;
    graph.task({out(a)}, [] { throw std::runtime_error("bad"); });
    graph.task({in(a), out(b)}, [&] { b = 1; });
    graph.task({in(b)}, [&] { b = 2; });
    graph.task({out(c)}, [&] { c = 3; });
    EXPECT_THROW(graph.wait(), std::runtime_error);
    EXPECT_EQ(b, 0);
    EXPECT_EQ(c, 3);
    graph.task({in(a), out(b)}, [&] { b = 4; });  // what failed is forgotten
    graph.sync();
    EXPECT_EQ(b, 4);
  });
}

TEST_P(dataflow_with, a_task_that_is_created_after_the_failure_is_skipped_too) {
  runtime_.run([&] {
    dataflow graph;
    int a = 0;
    std::atomic<bool> ran{false};
    nearfork::suspend([&](const nearfork::resumer& failing) {
      graph.task({out(a)}, [failing] {
        failing.resume();
        throw std::runtime_error("bad");
      });
    });
    for (int i = 0; i < 20; ++i) graph.task({in(a)}, [&] { ran = true; });
    EXPECT_THROW(graph.sync(), std::runtime_error);
    EXPECT_FALSE(ran);
  });
}

TEST_P(dataflow_with, a_cancelled_graph_skips_its_tasks) {
  runtime_.run([&] {
    nearfork::cancellation_source stop;
    dataflow graph(stop.token());
    std::atomic<int> ran{0};
    int a = 0;
    graph.task({inout(a)}, [&] { stop.cancel(); });
    for (int i = 0; i < 100; ++i) graph.task({inout(a)}, [&] { ran.fetch_add(1); });
    graph.sync();
    EXPECT_EQ(ran.load(), 0);
    EXPECT_TRUE(graph.cancelled());
  });
}

TEST_P(dataflow_with, the_destructor_waits) {
  std::atomic<int> ran{0};
  int a = 0;
  runtime_.run([&] {
    const dataflow graph;
    auto& open = const_cast<dataflow&>(graph);
    for (int i = 0; i < 100; ++i) open.task({inout(a)}, [&] { ran.fetch_add(1); });
  });
  EXPECT_EQ(ran.load(), 100);
}

TEST_P(dataflow_with, a_destructor_that_unwinding_calls_runs_its_graph) {
  struct counts_in_tasks {
    int& count;
    ~counts_in_tasks() {
      dataflow graph;
      for (int i = 0; i < 100; ++i) graph.task({inout(count)}, [this] { ++count; });
    }
  };
  int count = 0;
  const auto unwind = [&] {
    const counts_in_tasks at_end{count};
    throw std::runtime_error("unwinds");
  };
  EXPECT_THROW(unwind(), std::runtime_error);
  EXPECT_THROW(runtime_.run(unwind), std::runtime_error);
  EXPECT_EQ(count, 200);
}

TEST_P(dataflow_with, refuses_misuse_and_names_the_place) {
  runtime_.run([&] {
    dataflow graph;
    std::vector<int> a(4);
    const auto wrong_type = [&] { graph.task({in(a)}, [](std::span<const double>) {}); };
    EXPECT_NE(message_of(wrong_type).find("dataflow_test.cpp"), std::string::npos);
    EXPECT_NE(message_of(wrong_type).find("another type"), std::string::npos);
    EXPECT_THROW(graph.task({in(a)}, [](std::span<int>) {}), nearfork::error);
    EXPECT_THROW(graph.task({in(a), in(a)}, [](std::span<const int>) {}), nearfork::error);
    EXPECT_THROW(graph.task({reduction(a, std::plus<>())}, [] {}), nearfork::error);
    std::string own;
    graph.task({in(a)}, [&] { own = message_of([&] { graph.wait(); }); });
    graph.sync();
    EXPECT_NE(own.find("waits for its own graph"), std::string::npos);
    const auto late = [&] { graph.task({in(a)}, [] {}); };
    EXPECT_NE(message_of(late).find("after sync()"), std::string::npos);
  });
}

// --- buffers ---

TEST_P(dataflow_with, consumers_of_buffers_may_come_first) {
  runtime_.run([&] {
    dataflow graph;
    auto first = graph.buffer<int>(3);
    auto second = graph.buffer<long>(3);
    long sum = 0;
    graph.task({in(second), out(sum)}, [](std::span<const long> from, std::span<long> to) {
      to[0] = std::accumulate(from.begin(), from.end(), 0L);
    });
    graph.task({in(first), out(second)}, [](std::span<const int> from, std::span<long> to) {
      std::ranges::transform(from, to.begin(), [](int each) { return 10L * each; });
    });
    graph.task({out(first)}, [](std::span<int> to) { std::iota(to.begin(), to.end(), 1); });
    graph.sync();
    EXPECT_EQ(sum, 60);
    EXPECT_EQ(second.view()[2], 30);
  });
}

TEST_P(dataflow_with, refuses_buffers_without_a_producer_with_two_and_rings) {
  runtime_.run([&] {
    const auto stuck = [](auto build) {
      dataflow graph;
      build(graph);
      return message_of([&] { graph.sync(); });
    };
    const std::string missing = stuck([](dataflow& graph) {
      const auto nobody_writes = graph.buffer<int>(1);
      graph.task({in(nobody_writes)}, [](std::span<const int>) { FAIL(); });
    });
    EXPECT_NE(missing.find("which no task writes"), std::string::npos) << missing;
    EXPECT_NE(missing.find("dataflow_test.cpp"), std::string::npos) << missing;
    const std::string ring = stuck([](dataflow& graph) {
      const auto a = graph.buffer<int>(1);
      const auto b = graph.buffer<int>(1);
      graph.task({in(a), out(b)}, [](std::span<const int>, std::span<int>) { FAIL(); });
      graph.task({in(b), out(a)}, [](std::span<const int>, std::span<int>) { FAIL(); });
    });
    EXPECT_NE(ring.find("each of these waits"), std::string::npos) << ring;
    dataflow graph;
    const auto twice = graph.buffer<int>(1);
    const auto write = [&] { graph.task({out(twice)}, [](std::span<int> to) { to[0] = 1; }); };
    write();
    EXPECT_NE(message_of(write).find("writes already"), std::string::npos);
    graph.sync();
    EXPECT_EQ(twice.view()[0], 1);
    dataflow other;
    EXPECT_THROW(other.task({in(twice)}, [](std::span<const int>) {}), nearfork::error);
    const auto nothing = [&] { other.task({in(nearfork::buffer<int>())}, [](std::span<const int>) {}); };
    EXPECT_NE(message_of(nothing).find("a handle without a buffer"), std::string::npos);
  });
}

TEST_P(dataflow_with, spans_of_fixed_size_must_suit_the_access) {
  runtime_.run([&] {
    dataflow graph;
    std::array<int, 3> sums{};
    auto four = graph.buffer<int>(4);
    graph.task({out(four)}, [](std::span<int, 4> to) { std::iota(to.begin(), to.end(), 1); });
    graph.task({in(four), out(sums)}, [](std::span<const int, 4> from, std::span<int, 3> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + from[i + 1];
    });
    const auto longer = [&] { graph.task({in(four)}, [](std::span<const int, 5>) {}); };
    const auto other = [&] { graph.task({in(four)}, [](std::span<const long>) {}); };
    for (const std::string& text : {message_of(longer), message_of(other)}) {
      EXPECT_NE(text.find("dataflow_test.cpp"), std::string::npos) << text;
      EXPECT_NE(text.find("(the buffer of "), std::string::npos) << text;
    }
    EXPECT_NE(message_of(longer).find("a span of 5 elements, but the access has 4"), std::string::npos);
    graph.sync();
    EXPECT_EQ(sums, (std::array{3, 5, 7}));
  });
}

TEST_P(dataflow_with, a_buffer_of_a_failed_task_is_lost) {
  runtime_.run([&] {
    dataflow graph;
    const auto lost = graph.buffer<int>(1);
    graph.task({in(lost)}, [](std::span<const int>) { FAIL(); });
    graph.task({out(lost)}, [](std::span<int>) { throw std::runtime_error("bad"); });
    EXPECT_THROW(graph.wait(), std::runtime_error);
    EXPECT_THROW((void)lost.view(), nearfork::error);
  });
}

}  // namespace

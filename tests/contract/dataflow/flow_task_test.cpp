#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::buffer;
using nearfork::dataflow;
using nearfork::flow_task;
using nearfork::in;
using nearfork::out;
using nearfork::written;
using nearfork::test::said_by;
using nearfork::test::with_workers;

class flow_tasks : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, flow_tasks, testing::Values(1U, 2U, 4U));

flow_task<int> sum_of(dataflow& graph, buffer<int> of) {
  const std::span<const int> all = co_await written(graph, of);
  co_return std::accumulate(all.begin(), all.end(), 0);
}

flow_task<std::unique_ptr<int>> sum_of_two(dataflow& graph, buffer<int> a, buffer<int> b) {
  flow_task<int> first = sum_of(graph, std::move(a));
  flow_task<int> second = sum_of(graph, std::move(b));
  const int one = co_await std::move(first);
  co_return std::make_unique<int>(one + co_await std::move(second));
}

flow_task<std::unique_ptr<int>> sum_of_each(dataflow& graph, buffer<int> a, buffer<int> b) {
  const std::span<const int> one = co_await written(graph, a);
  const std::span<const int> other = co_await written(graph, b);
  co_return std::make_unique<int>(one[0] + other[0]);
}

void fill(dataflow& graph, const buffer<int>& what, int with) {
  graph.task({out(what)}, [with](std::span<int> all) { std::ranges::fill(all, with); });
}

TEST_P(flow_tasks, wait_for_buffers_and_for_each_other) {
  constexpr std::size_t many = 200;
  runtime_.run([&] {
    dataflow graph;
    std::vector<buffer<int>> buffers;
    for (std::size_t i = 0; i <= many; ++i) buffers.push_back(graph.buffer<int>(10));
    std::vector<flow_task<std::unique_ptr<int>>> sums;
    for (std::size_t i = 0; i < many; ++i) sums.push_back(sum_of_two(graph, buffers[i], buffers[i + 1]));
    for (std::size_t i = many + 1; i-- > 0;) fill(graph, buffers[i], static_cast<int>(i));
    for (std::size_t i = 0; i < many; ++i) {
      EXPECT_EQ(*sums[i].get(), static_cast<int>(10 * (2 * i + 1)));
      EXPECT_FALSE(sums[i].valid());
    }
    flow_task<int> late = sum_of(graph, buffers[3]);  // written already
    EXPECT_EQ(late.get(), 30);
    graph.sync();
  });
}

flow_task<> chain(dataflow& graph, std::size_t length, std::atomic<int>& steps) {
  for (std::size_t i = 0; i < length; ++i) {
    const auto next = graph.buffer<int>(1);
    fill(graph, next, static_cast<int>(i));
    steps += (co_await written(graph, next))[0] == static_cast<int>(i) ? 1 : 0;
  }
}

TEST_P(flow_tasks, create_the_tasks_that_they_wait_for) {
  std::atomic<int> steps{0};
  runtime_.run([&] {
    dataflow graph;
    std::vector<flow_task<>> all;
    for (int i = 0; i < 8; ++i) all.push_back(chain(graph, 100, steps));
    for (auto& each : all) each.get();
    graph.sync();
  });
  EXPECT_EQ(steps.load(), 800);
}

TEST_P(flow_tasks, occupy_no_worker) {
  // More coroutines wait than there are workers, and the task that ends their waits still runs.
  runtime_.run([&] {
    dataflow graph;
    const auto last = graph.buffer<int>(1);
    std::vector<flow_task<int>> all;
    for (int i = 0; i < 50; ++i) all.push_back(sum_of(graph, last));
    nearfork::async([] {}).get();
    EXPECT_TRUE(std::ranges::none_of(all, [](const auto& each) { return each.ready(); }));
    fill(graph, last, 7);
    graph.sync();
    for (auto& each : all) EXPECT_EQ(each.get(), 7);
  });
}

flow_task<int> fails_itself() {
  throw std::runtime_error("own");
  co_return 0;
}
flow_task<int> passes_on(flow_task<int> inner) {
  co_return co_await std::move(inner);
}

TEST_P(flow_tasks, pass_exceptions_and_cancellation_on) {
  runtime_.run([&] {
    EXPECT_EQ(said_by([] { (void)fails_itself().get(); }), "own");
    EXPECT_EQ(said_by([] { (void)passes_on(fails_itself()).get(); }), "own");
    dataflow graph;
    const auto broken = graph.buffer<int>(1);
    flow_task<int> outer = passes_on(sum_of(graph, broken));
    graph.task({out(broken)}, [](std::span<int>) { throw std::runtime_error("of a task"); });
    EXPECT_EQ(said_by([&] { graph.wait(); }), "of a task");
    EXPECT_EQ(said_by([&] { (void)outer.get(); }), "of a task");

    flow_task<int> nobody = sum_of(graph, graph.buffer<int>(1));
    EXPECT_THAT(said_by([&] { graph.wait(); }), testing::HasSubstr("flow_task_test.cpp:"));
    EXPECT_THAT(said_by([&] { (void)nobody.get(); }),
                testing::ContainsRegex("the coroutine at .*flow_task_test.cpp:[0-9]+ waits for the buffer of "
                                       ".*flow_task_test.cpp:[0-9]+, which no task writes"));

    const auto never = graph.buffer<int>(1);
    flow_task<int> stopped = sum_of(graph, never);
    graph.cancel();
    fill(graph, never, 1);
    graph.wait();
    EXPECT_THROW((void)stopped.get(), nearfork::cancelled);

    graph.sync();
    EXPECT_THAT(said_by([&] { (void)sum_of(graph, never).get(); }), testing::HasSubstr("after sync()"));
  });
}

TEST_P(flow_tasks, are_cancelled_with_what_is_around_their_graph) {
  runtime_.run([] {
    nearfork::task_group around;
    around.spawn([&] {
      around.cancel();
      dataflow graph;
      const auto numbers = graph.buffer<int>(2);
      flow_task<int> sum = sum_of(graph, numbers);
      graph.task({out(numbers)}, [](std::span<int> to) { to[0] = to[1] = 1; });
      EXPECT_THROW(graph.wait(), nearfork::cancelled);
      EXPECT_THROW((void)sum.get(), nearfork::cancelled);
    });
    around.sync();
  });
}

TEST(flow_task, empty_ones_are_refused_and_dropped_ones_go_on) {
  flow_task<int> none;
  EXPECT_FALSE(none.valid());
  EXPECT_THAT(said_by([&] { (void)none.get(); }), testing::HasSubstr("has no coroutine"));
  std::atomic<int> steps{0};
  dataflow graph;
  flow_task<> waits = chain(graph, 5, steps);
  {
    flow_task<> other = chain(graph, 5, steps);
    flow_task<> moved = std::move(other);
    EXPECT_FALSE(other.valid());
  }
  waits.get();
  while (steps.load() < 10) graph.wait();
  graph.sync();
}

/// A coroutine that goes on creates its next wait just when the frame has seen that no task is left.
TEST(flow_task, coroutines_that_go_on_at_the_end_of_a_wait_are_not_taken_for_stuck) {
  nearfork::runtime workers(nearfork::test::with_workers(2));
  for (int round = 0; round < (nearfork::test::sanitized ? 300 : 60'000); ++round)
    workers.run([] {
      constexpr std::size_t buffers = 6;
      dataflow graph;
      std::vector<nearfork::buffer<int>> all;
      for (std::size_t i = 0; i < buffers; ++i) all.push_back(graph.buffer<int>(1));
      flow_task<int> sum = [](dataflow& of, std::vector<nearfork::buffer<int>> in_order) -> flow_task<int> {
        int total = 0;
        for (const auto& each : in_order) total += co_await sum_of(of, each);
        co_return total;
      }(graph, all);
      for (std::size_t i = buffers; i-- > 0;) fill(graph, all[i], static_cast<int>(i));
      ASSERT_EQ(said_by([&] { graph.wait(); }), "no exception");
      ASSERT_EQ(sum.get(), static_cast<int>(buffers * (buffers - 1) / 2));
    });
}

/// What a coroutine adds when it goes on belongs to the wait in progress.
TEST(flow_task, that_waits_again_for_what_nobody_writes_is_told_at_the_wait) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    nearfork::runtime home(with_workers(workers));
    for (int round = 0; round < 200; ++round) {
      dataflow graph(home);
      const buffer<int> first = graph.buffer<int>(1);
      const buffer<int> never = graph.buffer<int>(1);
      flow_task<std::unique_ptr<int>> both = sum_of_each(graph, first, never);
      fill(graph, first, 1);
      ASSERT_THAT(said_by([&] { graph.wait(); }), testing::HasSubstr("can never run"));
      ASSERT_THAT(said_by([&] { (void)both.get(); }), testing::HasSubstr("no task writes"));
    }
  }
}

/// They would not have run either way.
TEST(cancelled_graph, has_no_tasks_that_can_never_run) {
  dataflow graph;
  const buffer<int> never = graph.buffer<int>(1);
  graph.task({in(never)}, [](std::span<const int>) {});
  graph.cancel();
  EXPECT_EQ(said_by([&] { graph.wait(); }), "no exception");
  graph.task({in(never)}, [](std::span<const int>) {});
  EXPECT_THAT(said_by([&] { graph.wait(); }), testing::HasSubstr("can never run"));
}

/// A coroutine with a graph of its own does not wait for itself.
flow_task<int> sum_by_own_graph(nearfork::runtime& home) {
  dataflow graph(home);
  const buffer<int> first = graph.buffer<int>(3);
  fill(graph, first, 1);
  int sum = co_await sum_of(graph, first);
  const std::span<const int> read = co_await written(graph, first);
  sum += read[0];
  graph.task({nearfork::inout(sum)}, [&sum] { ++sum; });
  graph.wait();
  graph.task({nearfork::inout(sum)}, [&sum] { ++sum; });
  graph.sync();
  co_return sum;
}
TEST(flow_task, waits_for_a_graph_of_its_own) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    nearfork::runtime home(with_workers(workers));
    for (int round = 0; round < 100; ++round) ASSERT_EQ(sum_by_own_graph(home).get(), 6);
  }
}

/// The same with other threads, whose tasks have an order of their own.
TEST(flow_task, other_threads_create_tasks_while_the_frame_waits) {
  nearfork::runtime workers(nearfork::test::with_workers(2));
  dataflow graph(workers);
  std::atomic<bool> stop{false};
  constexpr int most = 20'000;
  std::vector<int> counts(2), created(2);
  std::vector<std::thread> others;
  for (std::size_t t = 0; t < counts.size(); ++t)
    others.emplace_back([&, t] {
      while (!stop.load() && created[t] < most) {
        ++created[t];
        graph.task({nearfork::inout(counts[t])}, [&counts, t] { ++counts[t]; });
      }
    });
  for (int n = 0; n < 300; ++n) EXPECT_EQ(said_by([&] { graph.wait(); }), "no exception");
  stop.store(true);
  for (std::thread& each : others) each.join();
  graph.sync();
  EXPECT_EQ(counts, created);
}

}  // namespace

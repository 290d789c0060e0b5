// Many tasks that wait for their turn.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <span>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::commutative;
using nearfork::dataflow;
using nearfork::out;

double seconds_of(const std::function<void()>& run) {
  const auto before = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

/// Runs so many tasks that wait until all have been created, and returns how long they took in the end.
template <class Add>
double seconds_of_waiting_tasks(dataflow& graph, long& data, int tasks, const Add& add) {
  std::atomic<bool> all_are_there{false};
  graph.task({out(data)}, [&] {
    while (!all_are_there) std::this_thread::yield();
  });
  for (int i = 0; i < tasks; ++i) add();
  all_are_there = true;
  return seconds_of([&] { graph.wait(); });
}

/// When each end woke all that waited, 50,000 tasks took 300 times as long as a chain, and it grew by the square.
TEST(dataflow_turns, of_tasks_that_commute_take_no_longer_the_more_of_them_wait) {
  constexpr int tasks = 50'000;
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  long sum = 0;
  long other = 0;
  dataflow graph(runtime);
  const double chain =
      seconds_of_waiting_tasks(graph, sum, tasks, [&] { graph.task({nearfork::inout(sum)}, [&] { ++sum; }); });
  const double one =
      seconds_of_waiting_tasks(graph, sum, tasks, [&] { graph.task({commutative(sum)}, [&] { ++sum; }); });
  const double two = seconds_of_waiting_tasks(
      graph, sum, tasks, [&] { graph.task({commutative(sum), commutative(other)}, [&] { ++sum, ++other; }); });
  const double folds = seconds_of_waiting_tasks(graph, sum, tasks, [&] {
    graph.task({nearfork::reduction(sum, std::plus<>())}, [](std::span<long> mine) { ++mine[0]; });
  });
  EXPECT_EQ(sum, 4L * tasks);
  EXPECT_EQ(other, tasks);
  const double most = 40 * chain + 0.2;  // 4 on a quiet machine
  EXPECT_LT(one, most) << chain;
  EXPECT_LT(two, most) << chain;
  EXPECT_LT(folds, most) << chain;
}

TEST(dataflow_turns, of_tasks_that_commute_are_as_cheap_in_replays) {
  constexpr int tasks = 50'000;
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  long chained = 0;
  long sum = 0;
  dataflow chain(runtime);
  chain.keep();
  for (int i = 0; i < tasks; ++i) chain.task({nearfork::inout(chained)}, [&] { ++chained; });
  chain.wait();
  dataflow graph(runtime);
  graph.keep();
  for (int i = 0; i < tasks; ++i) graph.task({commutative(sum)}, [&] { ++sum; });
  graph.wait();
  const double of_chain = seconds_of([&] { chain.replay(); });
  EXPECT_LT(seconds_of([&] { graph.replay(); }), 40 * of_chain + 0.2);
  EXPECT_EQ(sum, 2L * tasks);
}

}  // namespace

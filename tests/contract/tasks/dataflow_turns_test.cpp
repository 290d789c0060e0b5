// Many tasks that wait for their turn.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <span>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::commutative;
using nearfork::dataflow;
using nearfork::out;

// When each end woke all that waited, so many tasks took four minutes, and the time limit of tests ended them. Now they
// take a tenth of a second.
constexpr int tasks = 400'000;

/// Runs `tasks` tasks that wait until all have been created.
template <class Add>
void run_waiting_tasks(dataflow& graph, long& data, const Add& add) {
  std::atomic<bool> all_are_there{false};
  graph.task({out(data)}, [&] {
    while (!all_are_there) std::this_thread::yield();
  });
  for (int i = 0; i < tasks; ++i) add();
  all_are_there = true;
  graph.wait();
}

TEST(dataflow_turns, of_tasks_that_commute_take_no_longer_the_more_of_them_wait) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  long sum = 0;
  long other = 0;
  dataflow graph(runtime);
  run_waiting_tasks(graph, sum, [&] { graph.task({commutative(sum)}, [&] { ++sum; }); });
  run_waiting_tasks(graph, sum, [&] { graph.task({commutative(sum), commutative(other)}, [&] { ++sum, ++other; }); });
  run_waiting_tasks(graph, sum, [&] {
    graph.task({nearfork::reduction(sum, std::plus<>())}, [](std::span<long> mine) { ++mine[0]; });
  });
  EXPECT_EQ(sum, 3L * tasks);
  EXPECT_EQ(other, tasks);
}

TEST(dataflow_turns, of_tasks_that_commute_are_as_cheap_in_replays) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  long sum = 0;
  dataflow graph(runtime);
  graph.keep();
  for (int i = 0; i < tasks; ++i) graph.task({commutative(sum)}, [&] { ++sum; });
  graph.wait();
  graph.replay();
  EXPECT_EQ(sum, 2L * tasks);
}

}  // namespace

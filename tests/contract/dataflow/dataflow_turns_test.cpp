// Many tasks that wait for their turn.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::commutative;
using nearfork::dataflow;
using nearfork::in;
using nearfork::inout;
using nearfork::out;

// When each end woke all that waited, so many tasks took four minutes, and the time limit of tests ended them. Now they
// take a tenth of a second.
constexpr int many = 400'000;

/// Runs many tasks that wait until all have been created.
template <class Add>
void run_waiting_tasks(dataflow& graph, long& data, const Add& add) {
  std::atomic<bool> all_are_there{false};
  graph.task({out(data)}, [&] {
    while (!all_are_there) std::this_thread::yield();
  });
  for (int i = 0; i < many; ++i) add();
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
  EXPECT_EQ(sum, 3L * many);
  EXPECT_EQ(other, many);
}

TEST(dataflow_turns, of_tasks_that_commute_are_as_cheap_in_replays) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  long sum = 0;
  dataflow graph(runtime);
  graph.keep();
  for (int i = 0; i < many; ++i) graph.task({commutative(sum)}, [&] { ++sum; });
  graph.wait();
  graph.replay();
  EXPECT_EQ(sum, 2L * many);
}

// When each nested task looked at all accesses of its parent, this took minutes.
TEST(dataflow_turns, of_nested_tasks_take_no_longer_the_more_data_their_parent_names) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  constexpr std::size_t parts = 200'000;
  for (const bool weak : {true, false}) {
    std::vector<int> data(parts);
    dataflow graph(runtime);
    for (int& each : data) graph.task({out(each)}, [&each] { each = 1; });
    std::vector<nearfork::access> all;
    for (int& each : data) all.push_back(weak ? nearfork::weak_inout(each) : inout(each));
    graph.task(std::span<const nearfork::access>(all), [&](nearfork::nested_tasks& inner) {
      for (int& each : data) inner.task({inout(each)}, [&each] { each = 3 * each; });
    });
    for (int& each : data) graph.task({inout(each)}, [&each] { ++each; });
    graph.sync();
    EXPECT_EQ(data, std::vector<int>(parts, 4));
  }
}

// The message was of megabytes, and took minutes.
TEST(dataflow_turns, that_never_come_in_a_long_ring_are_told_in_a_short_message) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  dataflow graph(runtime);
  int data = 0;
  const auto made_last = graph.buffer<int>(1);
  graph.task({in(made_last), out(data)}, [](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
  for (int i = 0; i < many; ++i) graph.task({inout(data)}, [] { ADD_FAILURE(); });
  graph.task({in(data), out(made_last)}, [](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
  const std::string ring = nearfork::test::message_of([&] { graph.wait(); });
  EXPECT_NE(ring.find(" 400000 tasks of "), std::string::npos) << ring.substr(0, 1'000);
  EXPECT_LT(ring.size(), 1'000U);

  const auto add_one = [&] { graph.task({inout(data)}, [] { ADD_FAILURE(); }); };
  const auto add_other = [&] { graph.task({inout(data)}, [] { ADD_FAILURE(); }); };
  const auto made_later = graph.buffer<int>(1);
  graph.task({in(made_later), out(data)}, [](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
  for (int i = 0; i < 20; ++i) {
    add_one();
    add_other();
  }
  graph.task({in(data), out(made_later)}, [](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
  const std::string many = nearfork::test::message_of([&] { graph.sync(); });
  EXPECT_NE(many.find("; and 34 more tasks;"), std::string::npos) << many;
}

}  // namespace

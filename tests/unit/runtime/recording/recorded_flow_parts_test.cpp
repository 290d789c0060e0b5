// Which parts of dataflow graphs an iteration's recording has: each wait ends one.
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "recorded_edges.hpp"
#include "recording/recording.hpp"
#include "recording_runtime.hpp"

namespace {

using namespace nearfork;
using recordings::recording;
using test::edges;
using test::graph_of;
using test::predecessors_of;
using test::recording_runtime;
using test::recording_settings;
using test::region_called;

TEST(recorded_flow_part, has_a_fork_for_each_wait) {
  recording_runtime on(recording_settings(2));
  int cell = 0;
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      for (int part = 1; part <= 3; ++part) {
        for (int i = 0; i < part; ++i) graph.task({inout(cell)}, [&] { ++cell; });
        graph.wait();
      }
    });
  });
  const recording made = on.made();
  const recordings::task_graph& graph = graph_of(made, "r");
  ASSERT_EQ(graph.forks(0).size(), 3U);
  for (std::uint32_t part = 0; part < 3; ++part) EXPECT_EQ(graph.forks(0)[part].branching, part + 1);
  EXPECT_EQ(predecessors_of(graph.flow()), (edges{{}, {}, {1}, {}, {3}, {4}})) << "a wait has no edges";
}

TEST(recorded_flow_part, of_a_replay_is_that_of_the_graph) {
  recording_runtime on(recording_settings(2, recorded_iterations::all));
  std::vector<int> cells(8);
  on->run([&] {
    dataflow graph;
    for (int iteration = 0; iteration < 3; ++iteration)
      region("r", [&] {
        if (iteration > 0) return graph.replay();
        graph.keep();
        const auto buffer = graph.buffer<int>(4);
        graph.task({out(buffer)}, [](std::span<int> to) { to[0] = 1; });
        for (int& each : cells)
          graph.task({in(buffer), inout(each)}, [](std::span<const int> from, std::span<int> to) { to[0] += from[0]; });
        graph.task({in(cells)}, [] {});
        graph.wait();
      });
  });
  EXPECT_EQ(cells[7], 3);
  const recording made = on.made();
  const auto& recorded = region_called(made, "r").recorded;
  ASSERT_EQ(recorded.size(), 3U);
  for (const recordings::iteration& one : recorded) {
    EXPECT_EQ(one.graph.flow(), recorded[0].graph.flow());
    EXPECT_EQ(one.graph.tasks(), 11U);
    EXPECT_EQ(one.graph.access_count(), recorded[0].graph.access_count());
  }
  EXPECT_EQ(recorded[0].graph.flow().edges(), 8U + 8);
}

TEST(recorded_flow_part, of_other_tasks_beside_kept_ones_has_those_alone) {
  recording_runtime on(recording_settings(2));
  int kept = 0;
  int other = 0;
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      graph.keep();
      for (int i = 0; i < 3; ++i) graph.task({inout(kept)}, [&] { ++kept; });
      graph.wait();
      graph.replay();
      for (int i = 0; i < 2; ++i) graph.task({inout(other)}, [&] { ++other; });
      graph.wait();
      graph.replay();
    });
  });
  EXPECT_EQ(kept, 9);
  EXPECT_EQ(other, 2);
  const recording made = on.made();
  EXPECT_EQ(predecessors_of(graph_of(made, "r").flow()), (edges{{}, {0}, {1}, {}, {3}, {4}, {}, {6}, {}, {8}, {9}}));
}

flow_task<int> sum_of(dataflow& graph, std::vector<buffer<int>> numbers) {
  int sum = 0;
  for (const buffer<int>& each : numbers) sum += (co_await written(graph, each))[0];
  co_return sum;
}

/// The coroutine goes on while the wait ends, and adds a task for its next number then.
TEST(recorded_flow_part, may_end_while_a_coroutine_adds_tasks) {
  recording_runtime on(recording_settings(4));
  for (int round = 0; round < 500; ++round)
    on->run([&] {
      region("r", [&] {
        dataflow graph;
        std::vector<buffer<int>> numbers;
        for (int i = 0; i < 5; ++i) numbers.push_back(graph.buffer<int>(1));
        auto sum = sum_of(graph, numbers);
        for (int i = 0; i < 5; ++i)
          graph.task({out(numbers[static_cast<std::size_t>(i)])}, [i](std::span<int> to) { to[0] = i; });
        graph.wait();
        EXPECT_EQ(sum.get(), 10);
      });
    });
  (void)on.made();  // sound, or it throws
}

TEST(recorded_flow_part, has_the_order_of_streams) {
  recording_runtime on(recording_settings(2));
  int sum = 0;
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      const auto numbers = graph.stream<int>();
      graph.task({in(numbers, 2)}, [&](std::span<const int> two) { sum = two[0] + two[1]; });
      for (int i = 0; i < 2; ++i) graph.task({out(numbers)}, [i](std::span<int> one) { one[0] = i + 1; });
      graph.sync();
    });
  });
  EXPECT_EQ(sum, 3);
  const recording made = on.made();
  EXPECT_EQ(predecessors_of(graph_of(made, "r").flow()), (edges{{}, {}, {0, 1}}));
}

TEST(recorded_flow_part, of_a_graph_that_is_made_outside_any_worker_is_a_region_of_its_own) {
  recording_runtime on(recording_settings(2));
  int cell = 0;
  {
    dataflow graph(*on.operator->());
    for (int part = 0; part < 3; ++part) {
      for (int i = 0; i < 4; ++i) graph.task({inout(cell)}, [&] { ++cell; });
      graph.wait();
    }
  }
  EXPECT_EQ(cell, 12);
  const recording made = on.made();
  ASSERT_EQ(made.regions.size(), 1U);
  EXPECT_NE(made.regions[0].name.find("graph at recorded_flow_parts_test.cpp:"), std::string::npos)
      << made.regions[0].name;
  EXPECT_EQ(made.regions[0].iterations, 3U);
  ASSERT_EQ(made.regions[0].recorded.size(), 1U);
  EXPECT_EQ(made.regions[0].recorded[0].number, 2U);
  EXPECT_EQ(predecessors_of(made.regions[0].recorded[0].graph.flow()), (edges{{}, {0}, {1}, {2}}));
}

TEST(recorded_flow_part, that_outlives_its_region_or_fails_is_left_out_and_counted) {
  recording_runtime on(recording_settings(2));
  int cell = 0;
  on->run([&] {
    dataflow graph;
    region("outlives", [&] { graph.task({inout(cell)}, [&] { ++cell; }); });
    graph.wait();
    region("fails", [&] {
      dataflow own;
      own.task({inout(cell)}, [] { throw 7; });
      own.task({inout(cell)}, [] {});
      EXPECT_THROW(own.sync(), int);
    });
    region("never runs", [&] {
      dataflow own;
      const auto nobody = own.buffer<int>(1);
      own.task({in(nobody)}, [](std::span<const int>) {});
      EXPECT_THROW(own.sync(), error);
    });
    region("began outside", [&] {
      dataflow own;
      async([&] { own.task({inout(cell)}, [] {}); }).get();
      own.task({inout(cell)}, [] {});
      own.sync();
    });
  });
  const recording made = on.made();
  EXPECT_EQ(made.left_out, 5U) << "one of each, and the iteration of the async() task";
  EXPECT_TRUE(made.regions.empty() || made.regions[0].name.starts_with("run at"));
}

TEST(recorded_flow_part, in_iterations_that_are_not_recorded_is_not_there) {
  recording_runtime on(recording_settings(2));
  int cell = 0;
  on->run([&] {
    for (int i = 0; i < 5; ++i)
      region("r", [&] {
        dataflow graph;
        for (int n = 0; n < 10; ++n) graph.task({inout(cell)}, [&] { ++cell; });
        graph.sync();
      });
  });
  EXPECT_EQ(cell, 50);
  const recording made = on.made();
  EXPECT_EQ(region_called(made, "r").recorded.size(), 1U);
  EXPECT_EQ(graph_of(made, "r").flow().size(), 10U);
  EXPECT_EQ(made.left_out, 0U);
}

}  // namespace

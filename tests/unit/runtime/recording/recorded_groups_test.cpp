// How a recording shows the tasks of groups.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "recording/recording.hpp"
#include "recording_runtime.hpp"

namespace {

using namespace nearfork;
using recordings::recording;
using test::recording_runtime;
using test::recording_settings;
using test::region_called;

TEST(recorded_group_graph, has_tasks_of_groups_as_children_of_who_spawned_them) {
  recording_runtime on(recording_settings(4));
  on->run([] {
    region("r", [] {
      task_group group;
      for (int i = 0; i < 5; ++i) group.spawn([] {});
      group.sync();
      group.spawn([&] {
        group.spawn([] {});
        group.spawn([] {});
      });
      group.sync();
    });
  });
  const recording made = on.made();
  const recordings::task_graph& graph = region_called(made, "r").recorded.at(0).graph;
  EXPECT_EQ(graph.tasks(), 9U);
  ASSERT_EQ(graph.forks(0).size(), 2U);
  EXPECT_EQ(graph.forks(0)[0].branching, 5U);
  EXPECT_EQ(graph.forks(0)[1].branching, 1U);
  ASSERT_EQ(graph.forks(6).size(), 1U);
  EXPECT_EQ(graph.forks(6)[0].branching, 2U);
}

// A stretch of the spawning task ends at each sync(), also if no task is left to wait for.
TEST(recorded_group_graph, has_a_stretch_for_each_sync_also_where_all_tasks_have_ended) {
  recording_runtime on(recording_settings(4));
  on->run([] {
    region("r", [] {
      std::atomic<int> ran{0};
      task_group group;
      for (int stretch = 1; stretch <= 2; ++stretch) {
        for (int i = 0; i < 3; ++i) group.spawn([&] { ran.fetch_add(1); });
        while (ran.load() < 3 * stretch) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // their ends are counted a little later
        group.sync();
      }
    });
  });
  const recording made = on.made();
  const recordings::task_graph& graph = region_called(made, "r").recorded.at(0).graph;
  ASSERT_EQ(graph.forks(0).size(), 2U);
  EXPECT_EQ(graph.forks(0)[0].branching, 3U);
  EXPECT_EQ(graph.forks(0)[1].branching, 3U);
}

TEST(recorded_group_graph, of_a_group_that_outlives_its_region_is_left_out) {
  recording_runtime on(recording_settings(2));
  on->run([&] {
    std::atomic<bool> go{false};
    std::atomic<int> ran{0};
    {
      task_group group;
      region("r", [&] {
        group.spawn([&] {
          while (!go.load()) std::this_thread::yield();
          ran.fetch_add(1);
        });
      });
      go.store(true);
      group.sync();
    }
    EXPECT_EQ(ran.load(), 1);
  });
  EXPECT_TRUE(on.made().regions.empty() || on.made().regions[0].name != "r");
  EXPECT_EQ(on.made().left_out, 1U);
}

}  // namespace

// Graphs of very many tasks that take next to no time. Workers hold still at times then, and each task runs once all
// the same, in the order of its data (src/runtime/trials/help_trial.hpp).
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t tiny_cells = 64;

/// Adds `sweeps` tasks a cell, each of which needs its neighbour's and its own last one.
void add_sweeps(nearfork::dataflow& graph, std::array<std::uint64_t, tiny_cells + 1>& values, std::uint64_t sweeps) {
  for (std::uint64_t n = 0; n < sweeps; ++n)
    for (std::uint64_t i = 1; i <= tiny_cells; ++i) {
      std::uint64_t* const own = &values[i];
      graph.task({nearfork::in(own[-1]), nearfork::inout(*own)}, [own] { *own = 3 * *own + own[-1]; });
    }
}

std::array<std::uint64_t, tiny_cells + 1> swept_serially(std::uint64_t sweeps) {
  std::array<std::uint64_t, tiny_cells + 1> values{};
  values.fill(1);
  for (std::uint64_t n = 0; n < sweeps; ++n)
    for (std::uint64_t i = 1; i <= tiny_cells; ++i) values[i] = 3 * values[i] + values[i - 1];
  return values;
}

class tiny_dataflow_tasks : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{nearfork::test::with_workers(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(workers, tiny_dataflow_tasks, testing::Values(1U, 2U, 3U, 8U));

class tiny_dataflow_tasks_of_several : public tiny_dataflow_tasks {};
INSTANTIATE_TEST_SUITE_P(workers, tiny_dataflow_tasks_of_several, testing::Values(2U, 3U, 8U));

TEST_P(tiny_dataflow_tasks, run_once_and_in_order_in_graph_after_graph) {
  const auto right = swept_serially(200);
  runtime_.run([&] {
    for (int times = 0; times < 30; ++times) {
      std::array<std::uint64_t, tiny_cells + 1> values{};
      values.fill(1);
      nearfork::dataflow graph;
      add_sweeps(graph, values, 200);
      graph.wait();
      ASSERT_EQ(values, right);
    }
  });
}

TEST_P(tiny_dataflow_tasks, of_a_creator_outside_workers_run_while_it_does_something_else) {
  const auto right = swept_serially(300);
  for (int times = 0; times < 5; ++times) {
    std::array<std::uint64_t, tiny_cells + 1> values{};
    values.fill(1);
    std::atomic<bool> ran{false};
    nearfork::dataflow graph(runtime_);
    add_sweeps(graph, values, 300);
    graph.task({nearfork::in(values)}, [&] { ran = true; });
    while (!ran) std::this_thread::sleep_for(100us);
    graph.wait();
    ASSERT_EQ(values, right);
  }
}

// The first ones are tiny; then each waits for another one that runs at the same time.
TEST_P(tiny_dataflow_tasks_of_several, are_followed_by_tasks_that_need_several_workers) {
  runtime_.run([&] {
    for (int times = 0; times < 20; ++times) {
      std::array<std::uint64_t, tiny_cells + 1> values{};
      std::atomic<int> met{0};
      nearfork::dataflow graph;
      add_sweeps(graph, values, 100);
      const auto meet = [&] {
        ++met;
        while (met < 2) std::this_thread::yield();
      };
      graph.task({nearfork::in(values)}, meet);
      graph.task({nearfork::in(values)}, meet);
      graph.wait();
      ASSERT_EQ(met, 2);
    }
  });
}

}  // namespace

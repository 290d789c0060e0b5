// Graphs of more tasks than the caches hold: the frame that creates them runs some, or lets the workers catch up.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::dataflow;
using nearfork::inout;
using nearfork::out;
using nearfork::test::with_workers;

constexpr std::size_t task_count = 40'000;

class graphs_of_many_tasks : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, graphs_of_many_tasks, testing::Values(1U, 2U, 5U));

TEST_P(graphs_of_many_tasks, run_each_once_wherever_they_are_created) {
  std::vector<int> runs(task_count);
  const auto create_all = [&](dataflow& graph) {
    for (int& run : runs) graph.task({inout(run)}, [&run] { ++run; });
    graph.sync();
  };
  runtime_.run([&] {
    dataflow graph;
    create_all(graph);
  });
  dataflow outside(runtime_);
  create_all(outside);
  EXPECT_EQ(std::ranges::count(runs, 2), task_count);
}

TEST_P(graphs_of_many_tasks, keep_the_order_of_those_that_depend_on_each_other) {
  constexpr std::size_t chains = 3000;
  std::vector<std::size_t> next(chains);
  std::atomic<int> wrong{0};
  runtime_.run([&] {
    dataflow graph;
    for (std::size_t i = 0; i < task_count; ++i) {
      std::size_t& at = next[i % chains];
      graph.task({inout(at)}, [&at, &wrong, turn = i / chains] { wrong += at++ == turn ? 0 : 1; });
    }
    graph.sync();
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST(graph_of_many_tasks, is_run_while_it_grows) {
  if (nearfork::detail::expects_waiting_tasks()) GTEST_SKIP() << "tasks of this process have waited in suspend()";
  nearfork::runtime one(with_workers(1));
  std::vector<int> data(task_count);
  std::size_t ran = 0;
  std::size_t most_left = 0;
  one.run([&] {
    dataflow graph;
    for (std::size_t created = 0; created < task_count; ++created) {
      graph.task({out(data[created])}, [&ran] { ++ran; });
      most_left = std::max(most_left, created + 1 - ran);
    }
    graph.sync();
  });
  EXPECT_EQ(ran, task_count);
  EXPECT_LE(most_left, 2048U);
}

TEST(graph_of_many_tasks, is_run_while_a_chain_grows) {
  if (nearfork::detail::expects_waiting_tasks()) GTEST_SKIP() << "tasks of this process have waited in suspend()";
  nearfork::runtime one(with_workers(1));
  std::size_t ran = 0;
  std::size_t most_left = 0;
  one.run([&] {
    dataflow graph;
    for (std::size_t created = 0; created < task_count; ++created) {
      graph.task({inout(ran)}, [&ran] { ++ran; });
      most_left = std::max(most_left, created + 1 - ran);
    }
    graph.sync();
  });
  EXPECT_EQ(ran, task_count);
  EXPECT_LE(most_left, 8192U);
}

/// Tasks that create tasks run none in their own frames: each would lie above the one before on the same stack.
TEST(graph_of_many_tasks, does_not_run_tasks_inside_tasks) {
  nearfork::runtime one(with_workers(1));
  std::vector<int> data(task_count);
  int deep = 0;
  int deepest = 0;
  one.run([&] {
    dataflow graph;
    const auto count = [&] {
      deepest = std::max(deepest, ++deep);
      --deep;
    };
    for (std::size_t i = 0; i < task_count; i += 4)
      graph.task({out(data[i])}, [&, i] {
        deepest = std::max(deepest, ++deep);
        for (std::size_t k = 1; k < 4; ++k) graph.task({out(data[i + k])}, count);
        --deep;
      });
    graph.sync();
  });
  EXPECT_EQ(deepest, 1);
}

TEST_P(graphs_of_many_tasks, throw_what_a_task_threw_when_they_are_waited_for) {
  std::vector<int> data(task_count);
  runtime_.run([&] {
    dataflow graph;
    for (std::size_t i = 0; i < task_count; ++i)
      graph.task({out(data[i])}, [i] {
        if (i % 1000 == 999) throw std::runtime_error("of a task");
      });
    EXPECT_THROW(graph.sync(), std::runtime_error);
  });
}

TEST_P(graphs_of_many_tasks, may_wait_in_suspend_for_what_comes_after_their_creation) {
  std::vector<int> data(2200);  // a few more than make the frame run some
  std::vector<std::optional<nearfork::resumer>> waiting(data.size());
  std::vector<std::atomic<bool>> waits(data.size());
  std::atomic<bool> all_created{false};
  std::thread resumes([&] {
    all_created.wait(false);
    for (std::size_t i = 0; i < data.size(); ++i) {
      waits[i].wait(false);
      waiting[i]->resume();
    }
  });
  runtime_.run([&] {
    nearfork::suspend([](const nearfork::resumer& at_once) { at_once.resume(); });  // tasks of this process wait so
    dataflow graph;
    for (std::size_t i = 0; i < data.size(); ++i)
      graph.task({out(data[i])}, [&, i] {
        nearfork::suspend([&, i](nearfork::resumer later) {
          waiting[i] = std::move(later);
          waits[i] = true;
          waits[i].notify_one();
        });
      });
    all_created = true;
    all_created.notify_one();
    graph.sync();
  });
  resumes.join();
}

/// A thread outside that creates tasks must not wait for workers that wait for it.
TEST_P(graphs_of_many_tasks, may_wait_for_the_thread_outside_that_creates_them) {
  std::promise<void> created;
  const std::shared_future<void> all_created = created.get_future().share();
  std::vector<int> data(10'000);
  dataflow graph(runtime_);
  for (int& each : data)
    graph.task({out(each)}, [&each, all_created] {
      all_created.wait();
      each = 1;
    });
  created.set_value();
  graph.sync();
  EXPECT_EQ(std::ranges::count(data, 1), data.size());
}

}  // namespace

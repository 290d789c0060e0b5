// Graphs whose tasks are kept and run again, and priorities.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
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

class replayed_dataflow : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{nearfork::test::with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, replayed_dataflow, testing::Values(1U, 2U, 5U));

constexpr std::size_t kept_cells = 16;
using kept_data = std::array<std::uint64_t, kept_cells>;

/// Reads some cells and updates others; or adds to them, alone or by a copy.
struct random_task {
  enum class how : std::uint8_t { updates, commutes, reduces } what;
  std::size_t read;
  std::size_t read_count;
  std::size_t write;
  std::size_t write_count;

  explicit random_task(std::mt19937& random) {
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    what = std::array{how::updates, how::updates, how::updates, how::commutes, how::reduces}[below(5)];
    read = below(kept_cells);
    read_count = below(kept_cells - read + 1);
    write = below(kept_cells);
    write_count = 1 + below(std::min<std::size_t>(kept_cells - write, 4));
  }
  void run(std::uint64_t id, std::span<std::uint64_t> to, const kept_data& all) const {
    std::uint64_t seen = id;
    if (what == how::updates)
      for (std::size_t i = 0; i < read_count; ++i) seen = seen * 31 + all[read + i];
    for (std::uint64_t& each : to) each = what == how::updates ? each * 7 + seen : each + id * id;
  }
  void add_to(dataflow& graph, std::uint64_t id, kept_data& all) const {
    const auto mine = std::span(all).subspan(write, write_count);
    const auto body = [this, id, mine, &all] { run(id, mine, all); };
    const nearfork::task_options options{.priority = static_cast<unsigned>(id % 7 == 0 ? id % 5 : 0)};
    if (what == how::commutes) graph.task({commutative(mine)}, body, options);
    else if (what == how::updates) graph.task({in(std::span(all).subspan(read, read_count)), inout(mine)}, body);
    else
      graph.task({reduction(mine, std::plus<>())},
                 [this, id, &all](std::span<std::uint64_t> copy) { run(id, copy, all); });
  }
};

TEST_P(replayed_dataflow, random_graphs_end_in_each_replay_as_in_their_own_order) {
  const std::size_t graphs = nearfork::test::sanitized ? 150 : 1'500;
  std::mt19937 random(GetParam());
  for (std::size_t n = 0; n < graphs; ++n) {
    std::vector<random_task> tasks;
    for (std::size_t i = 0; i < 1 + n % 50; ++i) tasks.emplace_back(random);
    kept_data expected{};
    kept_data values{};
    const auto run_serially = [&] {
      for (std::size_t id = 0; id < tasks.size(); ++id)
        tasks[id].run(id, std::span(expected).subspan(tasks[id].write, tasks[id].write_count), expected);
    };
    runtime_.run([&] {
      dataflow graph;
      graph.keep();
      for (std::size_t id = 0; id < tasks.size(); ++id) tasks[id].add_to(graph, id, values);
      graph.wait();
      run_serially();
      ASSERT_EQ(values, expected) << "graph " << n;
      for (int again = 0; again < 4; ++again) {
        graph.replay();
        run_serially();
        ASSERT_EQ(values, expected) << "graph " << n << ", replay " << again;
      }
    });
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_P(replayed_dataflow, many_small_tasks_run_once_in_each_replay) {
  constexpr std::size_t width = 64, sweeps = 200;
  std::array<std::uint64_t, width + 1> cell{1};
  std::array<std::uint64_t, width + 1> expected{1};
  runtime_.run([&] {
    dataflow graph;
    graph.keep();
    for (std::size_t n = 0; n < sweeps; ++n)
      for (std::size_t i = 1; i <= width; ++i)
        graph.task({in(cell[i - 1]), inout(cell[i])}, [own = &cell[i]] { *own = *own * 3 + own[-1]; });
    graph.sync();
    for (int again = 0; again < 20; ++again) graph.replay();
  });
  for (std::size_t n = 0; n < 21 * sweeps; ++n)
    for (std::size_t i = 1; i <= width; ++i) expected[i] = expected[i] * 3 + expected[i - 1];
  EXPECT_EQ(cell, expected);
}

TEST_P(replayed_dataflow, buffers_are_written_again_in_the_same_memory) {
  runtime_.run([&] {
    dataflow graph;
    graph.keep();
    int round = 1;
    const auto first = graph.buffer<int>(3);
    const auto sum = graph.buffer<int>(1);
    graph.task({in(first), out(sum)}, [](std::span<const int> from, std::span<int> to) {
      to[0] = std::accumulate(from.begin(), from.end(), 0);
    });
    graph.task({out(first)}, [&round](std::span<int> to) { std::iota(to.begin(), to.end(), round); });
    graph.wait();
    EXPECT_EQ(sum.view()[0], 6);
    const int* const memory = sum.view().data();
    round = 10;
    graph.replay();
    EXPECT_EQ(sum.view()[0], 33);
    EXPECT_EQ(sum.view().data(), memory);
  });
}

TEST_P(replayed_dataflow, failures_and_cancellation_last_for_one_replay) {
  runtime_.run([&] {
    dataflow graph;
    graph.keep();
    int round = 0;
    int a = 0;
    std::atomic<int> after{0};
    std::atomic<int> beside{0};
    const auto made = graph.buffer<int>(1);
    graph.task({out(a), out(made)}, [&](std::span<int>, std::span<int> to) {
      if (round == 1) throw std::runtime_error("bad");
      if (round == 2) graph.cancel();
      to[0] = round;
    });
    graph.task({in(a)}, [&] { ++after; });
    graph.task({in(a)}, [&] { ++after; });
    graph.task(std::span<const access>(), [&] { ++beside; });
    graph.wait();
    EXPECT_EQ(after.load(), 2);
    round = 1;
    EXPECT_THROW(graph.replay(), std::runtime_error);
    EXPECT_EQ(after.load(), 2);
    EXPECT_EQ(beside.load(), 2);
    EXPECT_THROW((void)made.view(), nearfork::error);
    round = 2;
    graph.replay();
    EXPECT_EQ(after.load(), 2);
    round = 3;
    graph.replay();
    EXPECT_EQ(after.load(), 4);
    EXPECT_EQ(made.view()[0], 3);
  });
}

TEST_P(replayed_dataflow, a_graph_that_failed_at_first_is_kept_whole) {
  runtime_.run([&] {
    dataflow graph;
    graph.keep();
    bool fails = true;
    int a = 0;
    int b = 0;
    graph.task({inout(a)}, [&] {
      if (fails) throw std::runtime_error("bad");
      ++a;
    });
    graph.task({in(a), inout(b)}, [&] { b += a; });
    EXPECT_THROW(graph.wait(), std::runtime_error);
    fails = false;
    graph.replay();
    graph.replay();
    EXPECT_EQ(a, 2);
    EXPECT_EQ(b, 3);
  });
}

TEST_P(replayed_dataflow, other_tasks_run_between_replays_and_once) {
  runtime_.run([&] {
    dataflow graph;
    graph.keep();
    std::vector<int> order;
    int key = 0;
    graph.task({inout(key)}, [&] { order.push_back(1); });
    graph.task({inout(key)}, [&] { order.push_back(2); });
    graph.wait();
    graph.task({inout(key)}, [&] { order.push_back(3); });
    graph.wait();
    graph.replay();
    EXPECT_EQ(order, (std::vector{1, 2, 3, 1, 2}));
    graph.keep();
    graph.task({inout(key)}, [&] { order.push_back(4); });
    graph.sync();
    graph.replay();
    EXPECT_EQ(order, (std::vector{1, 2, 3, 1, 2, 4, 4}));
  });
}

TEST_P(replayed_dataflow, closures_end_with_the_graph_or_the_next_keep) {
  runtime_.run([&] {
    const auto watched = std::make_shared<int>(0);
    {
      dataflow graph;
      graph.keep();
      graph.task({inout(*watched)}, [watched] { ++*watched; });
      graph.wait();
      graph.replay();
      EXPECT_EQ(watched.use_count(), 2);
      graph.keep();
      EXPECT_EQ(watched.use_count(), 1);
      graph.task({inout(*watched)}, [watched] { ++*watched; });
      graph.sync();
      EXPECT_EQ(watched.use_count(), 2);
    }
    EXPECT_EQ(watched.use_count(), 1);
    EXPECT_EQ(*watched, 3);
  });
}

TEST_P(replayed_dataflow, refuses_misuse_and_names_the_place) {
  runtime_.run([&] {
    dataflow graph;
    int a = 0;
    EXPECT_NE(message_of([&] { graph.replay(); }).find("keep()"), std::string::npos);
    graph.task({inout(a)}, [&] {});
    EXPECT_NE(message_of([&] { graph.keep(); }).find("dataflow_replay_test.cpp"), std::string::npos);
    graph.wait();
    graph.keep();
    std::string inside;
    graph.task({inout(a)}, [&] { inside = message_of([&] { graph.task({inout(a)}, [] {}); }); });
    EXPECT_NE(message_of([&] { graph.replay(); }).find("not waited for"), std::string::npos);
    graph.wait();
    EXPECT_NE(inside.find("which is kept"), std::string::npos) << inside;
    graph.replay();
    EXPECT_NE(inside.find("is replayed"), std::string::npos) << inside;
    graph.task({inout(a)}, [&] { inside = message_of([&] { graph.replay(); }); });
    EXPECT_THROW(graph.replay(), nearfork::error);
    graph.sync();
    EXPECT_NE(inside.find("waits for its own graph"), std::string::npos) << inside;
    EXPECT_THROW(graph.keep(), nearfork::error);
    graph.replay();
  });
}

struct callable_once {
  std::unique_ptr<int> added;
  int* sum;
  void operator()() && { *sum += *std::exchange(added, nullptr); }
};
struct alignas(64) callable_once_apart : callable_once {};

TEST_P(replayed_dataflow, refuses_a_callable_that_can_be_called_once) {
  runtime_.run([&] {
    dataflow graph;
    int sum = 0;
    graph.task({inout(sum)}, callable_once{std::make_unique<int>(1), &sum});
    graph.wait();
    graph.keep();
    const auto add = [&](auto made) { graph.task({inout(sum)}, std::move(made)); };
    const std::string refused = message_of([&] { add(callable_once{std::make_unique<int>(1), &sum}); });
    EXPECT_NE(refused.find("dataflow_replay_test.cpp"), std::string::npos) << refused;
    EXPECT_NE(refused.find("once only"), std::string::npos) << refused;
    EXPECT_THROW(add(callable_once_apart{{std::make_unique<int>(1), &sum}}), nearfork::error);
    graph.task({inout(sum)}, [&] { sum += 10; });
    graph.wait();
    graph.replay();
    EXPECT_EQ(sum, 21);
    graph.task({inout(sum)}, callable_once{std::make_unique<int>(100), &sum});  // after what is kept: runs once
    graph.sync();
    EXPECT_EQ(sum, 121);
  });
}

TEST_P(replayed_dataflow, tasks_that_can_never_run_are_not_kept) {
  runtime_.run([&] {
    const auto watched = std::make_shared<int>(0);
    dataflow graph;
    graph.keep();
    const auto missing = graph.buffer<int>(1);
    graph.task({in(missing)}, [watched](std::span<const int>) {});
    EXPECT_THROW(graph.wait(), nearfork::error);
    EXPECT_EQ(watched.use_count(), 1);
    EXPECT_THROW(graph.replay(), nearfork::error);
  });
}

// Each is destroyed with tasks that were not waited for.
TEST_P(replayed_dataflow, a_graph_that_is_kept_may_end_without_a_wait) {
  runtime_.run([&] {
    std::vector<int> numbers(10);
    const auto watched = std::make_shared<int>(0);
    const auto build = [&](dataflow& graph) {
      graph.keep();
      const auto made = graph.buffer<int>(1);
      graph.task({out(made)}, [watched](std::span<int> one) { one[0] = 1; });
      for (std::size_t i = 0; i < numbers.size(); ++i)
        graph.task({in(made), inout(numbers[i % 3]), in(numbers)},
                   [watched](std::span<const int> one, std::span<int> changed, std::span<const int>) {
                     changed[0] += one[0];
                   });
    };
    {
      dataflow graph;
      build(graph);
    }
    EXPECT_EQ(watched.use_count(), 1);
    const auto interrupted = [&] {
      dataflow graph;
      build(graph);
      throw std::runtime_error("while it is built");
    };
    EXPECT_THROW(interrupted(), std::runtime_error);
    EXPECT_EQ(watched.use_count(), 1);
    const auto replayed_too_soon = [&] {
      dataflow graph;
      build(graph);
      graph.replay();
    };
    EXPECT_THROW(replayed_too_soon(), nearfork::error);
    EXPECT_EQ(watched.use_count(), 1);
    dataflow graph;
    build(graph);
    graph.wait();
    graph.replay();
    build(graph);
  });
}

// --- priorities ---

TEST(dataflow_priorities, ready_tasks_run_by_priority_on_one_worker) {
  nearfork::runtime one(nearfork::test::with_workers(1));
  std::vector<unsigned> order;
  one.run([&] {
    dataflow graph;
    graph.keep();
    int gate = 0;
    const std::array<unsigned, 8> given{0, 3, 63, 1, 3, 0, 63, 2};
    graph.task({out(gate)}, [] {});
    for (const unsigned each : given)
      graph.task({in(gate)}, [&order, each] { order.push_back(each); }, nearfork::task_options{.priority = each});
    graph.wait();
    const std::vector<unsigned> sorted{63, 63, 3, 3, 2, 1, 0, 0};
    EXPECT_EQ(order, sorted);
    order.clear();
    graph.replay();
    EXPECT_EQ(order, sorted);
    const auto too_high = [&] { graph.task({in(gate)}, [] {}, nearfork::task_options{.priority = 64}); };
    EXPECT_NE(message_of(too_high).find("from 0 to 63"), std::string::npos);
  });
}

TEST(dataflow_priorities, a_task_of_high_priority_that_becomes_ready_overtakes) {
  nearfork::runtime one(nearfork::test::with_workers(1));
  std::vector<int> order;
  one.run([&] {
    dataflow graph;
    int a = 0;
    graph.task({inout(a)}, [&] { order.push_back(1); });
    for (int i = 0; i < 3; ++i) graph.task(std::span<const access>(), [&] { order.push_back(0); });
    graph.task({inout(a)}, [&] { order.push_back(2); }, nearfork::task_options{.priority = 1});
    graph.sync();
  });
  EXPECT_EQ(order, (std::vector{1, 2, 0, 0, 0}));
}

}  // namespace

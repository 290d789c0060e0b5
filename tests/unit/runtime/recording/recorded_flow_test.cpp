// How a recording shows the tasks of dataflow graphs: what they wait for, beside what a serial program would say.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "base/rng.hpp"
#include "recorded_edges.hpp"
#include "recording/recording.hpp"
#include "recording_runtime.hpp"

namespace {

using namespace nearfork;
using recordings::flow_order;
using recordings::recording;
using test::edges;
using test::graph_of;
using test::predecessors_of;
using test::recording_runtime;
using test::recording_settings;

TEST(recorded_flow, has_a_diamond_with_its_edges_its_data_and_the_work_of_its_tasks) {
  recording_runtime on(recording_settings(4));
  std::vector<double> a(512), b(512), c(512);
  const data_name named_a("a", a), named_b("b", b), named_c("c", c);
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      graph.task({out(a)}, [&] { std::ranges::fill(a, 1.0); });
      graph.task({in(a), out(b)}, [&] { std::ranges::copy(a, b.begin()); });
      graph.task({in(a), inout(c)}, [&] { std::ranges::copy(a, c.begin()); });
      graph.task({in(b), in(c), out(a)}, [&] { a[0] = b[0] + c[0]; });
      graph.sync();
    });
  });
  EXPECT_EQ(a[0], 2.0);
  const recording made = on.made();
  const recordings::task_graph& graph = graph_of(made, "r");
  EXPECT_EQ(graph.tasks(), 5U);
  ASSERT_EQ(graph.forks(0).size(), 1U);
  EXPECT_EQ(graph.forks(0)[0].branching, 4U);
  EXPECT_EQ(predecessors_of(graph.flow()), (edges{{}, {0}, {0}, {1, 2}}));
  const auto last = graph.work(4, 0);
  ASSERT_EQ(last.accesses.size(), 3U);
  EXPECT_EQ(made.blocks[last.accesses[1].block].name, "c");
  EXPECT_EQ(last.accesses[2].kind, recordings::access_kind::write);
  EXPECT_EQ(last.accesses[2].size_bytes, 512 * sizeof(double));
  EXPECT_LE(graph.span_ns(), graph.work_ns());
}

TEST(recorded_flow, has_accesses_that_lie_side_by_side_one_by_one) {
  recording_runtime on(recording_settings(1));
  std::vector<double> all(512);
  const auto left = std::span(all).first(256);
  const auto right = std::span(all).last(256);
  const data_name named_left("left", left), named_right("right", right);
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      graph.task({in(left), in(right)}, [] {});
      graph.sync();
    });
  });
  const recording made = on.made();
  const auto work = graph_of(made, "r").work(1, 0);
  ASSERT_EQ(work.accesses.size(), 2U);
  EXPECT_EQ(made.blocks[work.accesses[0].block].name, "left");
  EXPECT_EQ(made.blocks[work.accesses[1].block].name, "right");
}

TEST(recorded_flow, has_the_time_of_the_task_and_not_of_what_it_waits_for) {
  recording_runtime on(recording_settings(1));
  const auto spin = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  int cell = 0;
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      for (int i = 0; i < 3; ++i) graph.task({inout(cell)}, spin);
      graph.sync();
    });
  });
  const recording made = on.made();
  const recordings::task_graph& graph = graph_of(made, "r");
  for (std::uint32_t task = 1; task <= 3; ++task) EXPECT_GE(graph.work(task, 0).time_ns, 2'900'000U);
  EXPECT_EQ(graph.span_ns(), graph.work_ns()) << "a chain";
}

/// What a serial program says of ranges: a task waits for all before it since, and with, the last write of a byte.
class serial_oracle {
 public:
  void read(std::size_t task, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (cells_[i].writer) of_[task].insert(*cells_[i].writer);
      cells_[i].readers.insert(task);
    }
  }
  void write(std::size_t task, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::size_t one : cells_[i].readers) of_[task].insert(one);
      if (cells_[i].readers.empty() && cells_[i].writer) of_[task].insert(*cells_[i].writer);
      cells_[i] = {task, {}};
    }
  }
  [[nodiscard]] std::vector<std::size_t> of(std::size_t task) {
    of_[task].erase(task);
    return {of_[task].begin(), of_[task].end()};
  }

 private:
  struct cell {
    std::optional<std::size_t> writer{};
    std::set<std::size_t> readers{};
  };
  std::map<std::size_t, cell> cells_;
  std::map<std::size_t, std::set<std::size_t>> of_;
};

TEST(recorded_flow, has_the_edges_of_a_serial_oracle_for_random_ranges) {
  constexpr std::size_t bytes = 64;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    rng random(seed);
    recording_runtime on(recording_settings(2));
    std::vector<char> data(bytes);
    edges expected;
    on->run([&] {
      region("r", [&] {
        serial_oracle oracle;
        dataflow graph;
        for (std::size_t task = 0; task < 60; ++task) {
          const std::size_t begin = random.below(bytes);
          const std::size_t end =
              begin + 1 + random.below(static_cast<std::uint32_t>(std::min<std::size_t>(9, bytes - begin)));
          const auto range = std::span(data).subspan(begin, end - begin);
          if (random.below(3) == 0) {
            oracle.write(task, begin, end);
            graph.task({inout(range)}, [range] { range.front() = 1; });
          } else {
            oracle.read(task, begin, end);
            graph.task({in(range)}, [] {});
          }
          expected.push_back(oracle.of(task));
        }
        graph.sync();
      });
    });
    const recording made = on.made();
    ASSERT_EQ(predecessors_of(graph_of(made, "r").flow()), expected) << "seed " << seed;
  }
}

TEST(recorded_flow, has_edges_also_to_tasks_that_ended_long_before) {
  recording_runtime on(recording_settings(1));
  std::vector<int> cells(3000);
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      for (int& each : cells) graph.task({out(each)}, [&each] { each = 1; });
      for (int& each : cells) graph.task({in(each)}, [] {});
      graph.sync();
    });
  });
  const recording made = on.made();
  const flow_order& flow = graph_of(made, "r").flow();
  ASSERT_EQ(flow.size(), 6000U);
  EXPECT_EQ(flow.edges(), 3000U);
  for (std::size_t i = 3000; i < 6000; ++i) ASSERT_EQ(flow.predecessors(i)[0], flow.task(i - 3000));
}

TEST(recorded_flow, of_a_wavefront_has_its_span) {
  constexpr std::size_t side = 6;
  recording_runtime on(recording_settings(2));
  std::vector<int> grid(side * side);
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x) {
          std::vector<nearfork::access> all{inout(grid[y * side + x])};
          if (x > 0) all.push_back(in(grid[y * side + x - 1]));
          if (y > 0) all.push_back(in(grid[(y - 1) * side + x]));
          graph.task(all, [] {});
        }
      graph.sync();
    });
  });
  const recording made = on.made();
  const edges found = predecessors_of(graph_of(made, "r").flow());
  std::size_t longest = 0;
  std::vector<std::size_t> depth(found.size(), 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const std::size_t one : found[i]) depth[i] = std::max(depth[i], depth[one] + 1);
    longest = std::max(longest, depth[i]);
  }
  EXPECT_EQ(longest, 2 * side - 1);
}

TEST(recorded_flow, says_which_tasks_exclude_each_other_and_that_reductions_do_not) {
  recording_runtime on(recording_settings(2));
  double sum = 0, other = 0;
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      for (int i = 0; i < 3; ++i) graph.task({commutative(sum)}, [&] { sum += 1; });
      for (int i = 0; i < 3; ++i)
        graph.task({reduction(other, std::plus<>())}, [](std::span<double> mine) { mine[0] += 1; });
      graph.task({in(sum), in(other)}, [] {});
      graph.task({commutative(sum)}, [&] { sum += 1; });
      graph.sync();
    });
  });
  EXPECT_EQ(sum, 4);
  EXPECT_EQ(other, 3);
  const recording made = on.made();
  const flow_order& flow = graph_of(made, "r").flow();
  EXPECT_EQ(predecessors_of(flow), (edges{{}, {}, {}, {}, {}, {}, {0, 1, 2, 3, 4, 5}, {6}}));
  EXPECT_EQ(flow.exclusion_numbers(), 2U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::ranges::equal(flow.exclusions(i), std::vector{0U}));
  for (std::size_t i = 3; i < 7; ++i) EXPECT_TRUE(flow.exclusions(i).empty());
  EXPECT_TRUE(std::ranges::equal(flow.exclusions(7), std::vector{1U}));
}

TEST(recorded_flow, has_buffers_as_blocks_of_their_own_also_where_the_reader_comes_first) {
  recording_runtime on(recording_settings(2));
  double seen = 0;
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      const auto a = graph.buffer<double>(10);
      const auto b = graph.buffer<double>(20);
      graph.task({in(a), in(b)}, [&](std::span<const double> x, std::span<const double> y) { seen = x[0] + y[0]; });
      graph.task({out(a)}, [](std::span<double> x) { x[0] = 1; });
      graph.task({in(a), out(b)}, [](std::span<const double> x, std::span<double> y) { y[0] = x[0] + 1; });
      graph.sync();
    });
  });
  EXPECT_EQ(seen, 3);
  const recording made = on.made();
  EXPECT_EQ(predecessors_of(graph_of(made, "r").flow()), (edges{{}, {0}, {0, 1}}))
      << "in an order in which they can run";
  ASSERT_EQ(made.buffers.size(), 2U);
  std::vector<std::uint64_t> bytes;
  for (const std::uint32_t one : made.buffers) bytes.push_back(made.blocks[one].bytes);
  std::ranges::sort(bytes);
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{80, 160}));
  EXPECT_NE(made.blocks[made.buffers[0]].name.find("buffer of recorded_flow_test.cpp:"), std::string::npos);
}

TEST(recorded_flow, has_nested_tasks_with_their_creator_and_what_later_tasks_wait_for) {
  recording_runtime on(recording_settings(4));
  std::vector<int> cells(4);
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      graph.task({out(cells[0])}, [&] { cells[0] = 1; });
      graph.task({weak_inout(cells[0]), weak_inout(cells[1])}, [&](nested_tasks& inner) {
        inner.task({inout(cells[0])}, [&] { ++cells[0]; });
        inner.task({out(cells[1])}, [&] { cells[1] = 5; });
      });
      graph.task({in(cells[1])}, [&] { cells[2] = cells[1]; });
      graph.sync();
    });
  });
  EXPECT_EQ(cells[0], 2);
  EXPECT_EQ(cells[2], 5);
  const recording made = on.made();
  const flow_order& flow = graph_of(made, "r").flow();
  ASSERT_EQ(flow.size(), 5U);
  std::size_t parent = 0, created = 0;
  for (std::size_t i = 0; i < 5; ++i)
    if (flow.creator(i) != flow_order::by_waiting_task) {
      parent = flow.place_from(flow.creator(i));
      ++created;
    }
  EXPECT_EQ(created, 2U);
  EXPECT_TRUE(flow.predecessors(parent).empty()) << "weak accesses wait for nothing";
  // The last task waits for the parent, and for the nested task that writes; not for the other one.
  const edges all = predecessors_of(flow);
  EXPECT_EQ(std::ranges::count_if(all, [](const auto& one) { return one.size() == 2; }), 1);
  for (const auto& one : all) EXPECT_TRUE(one.size() != 2 || std::ranges::find(one, parent) != one.end());
}

TEST(recorded_flow, has_tasks_that_dataflow_tasks_create_with_their_creator) {
  recording_runtime on(recording_settings(4));
  std::atomic<int> ran{0};
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      int cell = 0;
      graph.task({out(cell)}, [&] {
        for (int i = 0; i < 3; ++i) graph.task(std::span<const nearfork::access>(), [&] { ran.fetch_add(1); });
      });
      graph.sync();
    });
  });
  EXPECT_EQ(ran.load(), 3);
  const recording made = on.made();
  const flow_order& flow = graph_of(made, "r").flow();
  ASSERT_EQ(flow.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(flow.creator(i), flow.task(0));
}

TEST(recorded_flow, has_forks_of_dataflow_tasks_below_them) {
  recording_runtime on(recording_settings(2));
  on->run([&] {
    region("r", [&] {
      dataflow graph;
      int cell = 0;
      for (int i = 0; i < 2; ++i) graph.task({inout(cell)}, [] { fork_join([] {}, [] {}, [] {}); });
      graph.sync();
      fork_join([] {}, [] {});
    });
  });
  const recording made = on.made();
  const recordings::task_graph& graph = graph_of(made, "r");
  ASSERT_EQ(graph.forks(0).size(), 2U);
  EXPECT_EQ(graph.forks(0)[0].branching, 2U);
  EXPECT_EQ(graph.forks(0)[1].branching, 2U);
  for (std::uint32_t task = 1; task <= 2; ++task) EXPECT_EQ(graph.forks(task)[0].branching, 3U);
  EXPECT_EQ(graph.flow().size(), 2U);
}

}  // namespace

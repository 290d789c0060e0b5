// Dataflow tasks that are nested in others, beside the same programs in their own order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::access;
using nearfork::dataflow;
using nearfork::in;
using nearfork::inout;
using nearfork::nested_tasks;
using nearfork::out;
using nearfork::weak_in;
using nearfork::weak_inout;
using nearfork::test::message_of;

class nested_dataflow : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{nearfork::test::with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, nested_dataflow, testing::Values(1U, 2U, 5U));

constexpr std::size_t nested_cells = 20;
using nested_data = std::array<std::uint64_t, nested_cells>;

struct named_range {
  std::size_t first;
  std::size_t count;
  bool writes;
  bool weak;
};
struct node {
  std::uint64_t id;
  std::vector<named_range> ranges;
  std::vector<node> nested;
  bool is_parent;
};

class random_nodes {
 public:
  explicit random_nodes(unsigned seed) : random_(seed) {}

  std::vector<node> make(std::size_t count) {
    std::vector<node> made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(make_one({{0, nested_cells, true, false}}, 0));
    return made;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  /// Names parts of what the parent names, and writes only what the parent writes.
  node make_one(const std::vector<named_range>& around, unsigned depth) {
    node one{next_id_++, {}, {}, depth < 3 && below(3) == 0};
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      const named_range& from = around[below(around.size())];
      const std::size_t first = from.first + below(from.count);
      one.ranges.push_back({first, 1 + below(from.first + from.count - first), from.writes && below(2) == 0,
                            one.is_parent && below(4) != 0});
    }
    if (one.is_parent)
      for (std::size_t n = below(6); n > 0; --n) one.nested.push_back(make_one(one.ranges, depth + 1));
    return one;
  }

  std::mt19937 random_;
  std::uint64_t next_id_ = 1;
};

/// What a task does itself.
void work_of(const node& one, nested_data& all) {
  std::uint64_t seen = one.id;
  for (const named_range& each : one.ranges)
    if (!each.weak)
      for (std::size_t i = 0; i < each.count; ++i) seen = seen * 31 + all[each.first + i];
  if (one.id % 5 == 0) std::this_thread::yield();
  for (const named_range& each : one.ranges)
    if (!each.weak && each.writes)
      for (std::size_t i = 0; i < each.count; ++i) all[each.first + i] = all[each.first + i] * 7 + seen;
}

void run_serially(const std::vector<node>& nodes, nested_data& all) {
  for (const node& one : nodes) {
    work_of(one, all);
    run_serially(one.nested, all);
  }
}

template <class Graph>
void add_all(Graph& graph, const std::vector<node>& nodes, nested_data& all) {
  for (const node& one : nodes) {
    std::vector<access> accesses;
    for (const named_range& each : one.ranges) {
      const auto part = std::span(all).subspan(each.first, each.count);
      if (each.writes) accesses.push_back(each.weak ? weak_inout(part) : inout(part));
      else accesses.push_back(each.weak ? weak_in(part) : in(part));
    }
    if (!one.is_parent) {
      graph.task(accesses, [&one, &all] { work_of(one, all); });
      continue;
    }
    graph.task(accesses, [&one, &all](nested_tasks& inner) {
      work_of(one, all);
      add_all(inner, one.nested, all);
    });
  }
}

TEST_P(nested_dataflow, random_programs_end_as_in_their_own_order) {
  const unsigned programs = nearfork::test::sanitized ? 300 : 4'000;
  for (unsigned n = 0; n < programs; ++n) {
    const auto nodes = random_nodes(n).make(1 + n % 14);
    nested_data expected{};
    run_serially(nodes, expected);
    nested_data values{};
    runtime_.run([&] {
      dataflow graph;
      add_all(graph, nodes, values);
      graph.sync();
    });
    ASSERT_EQ(values, expected) << "program " << n;
  }
}

/// Each parent reads everything, and its nested tasks change some parts. Each would open all cells one by one.
TEST_P(nested_dataflow, parents_that_change_a_part_of_what_they_read_end_as_in_their_own_order) {
  constexpr std::size_t cells = 300;
  constexpr std::size_t parents = 400;
  struct part {
    std::size_t first, count, read;
  };
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t end) { return random() % end; };
    std::vector<std::vector<part>> all(parents);
    for (std::vector<part>& parts : all)
      for (std::size_t k = below(3) + (seed % 2); k > 0; --k) {
        const std::size_t first = below(cells);
        parts.push_back({first, 1 + below(std::min<std::size_t>(cells - first, seed < 3 ? 2 : 40)), below(cells)});
      }
    const auto change = [](std::vector<std::uint64_t>& data, const part& of) {
      const std::uint64_t read = data[of.read];
      for (std::size_t i = 0; i < of.count; ++i) data[of.first + i] = data[of.first + i] * 3 + read + i;
    };
    std::vector<std::uint64_t> expected(cells, 1);
    for (const std::vector<part>& parts : all)
      for (const part& each : parts) change(expected, each);
    std::vector<std::uint64_t> data(cells, 1);
    runtime_.run([&] {
      dataflow graph;
      for (const std::vector<part>& parts : all) {
        std::vector<access> named{seed % 3 == 0 ? access(in(data)) : access(weak_in(data))};
        for (const part& each : parts) named.emplace_back(weak_inout(std::span(&data[each.first], each.count)));
        graph.task(std::span<const access>(named), [&](nested_tasks& nested) {
          for (const part& each : parts)
            nested.task({inout(std::span(&data[each.first], each.count)), in(data[each.read])},
                        [&] { change(data, each); });
        });
      }
      graph.sync();
    });
    ASSERT_EQ(data, expected) << "seed " << seed;
  }
}

/// The first task ends only when the parent has run, and a nested task that touches other data, too.
TEST_P(nested_dataflow, a_weak_access_does_not_wait) {
  std::array<int, 2> a{};
  std::vector<int> order;
  runtime_.run([&] {
    dataflow graph;
    std::optional<nearfork::resumer> waiting;
    std::atomic<bool> waits{false};
    graph.task({out(a[0])}, [&] {
      nearfork::suspend([&](nearfork::resumer done) {
        waiting = std::move(done);
        waits = true;
      });
      a[0] = 1;
    });
    graph.task({weak_inout(a)}, [&](nested_tasks& inner) {
      inner.task({inout(a[0])}, [&] { a[0] *= 10; });
      inner.task({inout(a[1])}, [&] {
        a[1] = 5;
        while (!waits) std::this_thread::yield();
        waiting->resume();
      });
    });
    graph.task({in(a)}, [&] { order = {a[0], a[1]}; });
    graph.sync();
  });
  EXPECT_EQ(order, (std::vector{10, 5}));
}

TEST_P(nested_dataflow, failures_skip_what_comes_after_the_parent) {
  runtime_.run([&] {
    dataflow graph;
    std::array<int, 2> a{};
    bool ran = false;
    bool other = false;
    graph.task({weak_inout(a[0]), weak_inout(a[1])}, [&](nested_tasks& inner) {
      inner.task({inout(a[0])}, [] { throw std::runtime_error("bad"); });
      inner.task({inout(a[1])}, [&] { a[1] = 1; });
    });
    graph.task({in(a[0])}, [&] { ran = true; });
    graph.task({in(a[1])}, [&] { other = a[1] == 1; });
    EXPECT_THROW(graph.wait(), std::runtime_error);
    EXPECT_FALSE(ran);
    EXPECT_TRUE(other) << "each access of the parent has an end of its own";
    graph.task({in(a[0])}, [&] { throw std::runtime_error("bad"); });
    graph.task({weak_inout(a)}, [&](nested_tasks&) { other = false; });
    graph.task({in(a[1])}, [&] { ran = true; });
    EXPECT_THROW(graph.sync(), std::runtime_error);
    EXPECT_FALSE(other) << "the parent waits for nothing that it names weakly";
    EXPECT_FALSE(ran);
  });
}

TEST_P(nested_dataflow, nested_tasks_are_cancelled_with_their_graph) {
  runtime_.run([&] {
    dataflow graph;
    int a = 0;
    graph.task({weak_inout(a)}, [&](nested_tasks& inner) {
      graph.cancel();
      for (int i = 0; i < 10; ++i) inner.task({inout(a)}, [&] { ++a; });
    });
    graph.task({inout(a)}, [&] { ++a; });
    graph.sync();
    EXPECT_EQ(a, 0);
  });
}

TEST_P(nested_dataflow, refuses_misuse_and_names_the_place) {
  runtime_.run([&] {
    dataflow graph;
    std::array<int, 3> a{};
    std::string undeclared;
    std::string read_only;
    graph.task({weak_in(a[0]), weak_inout(a[1])}, [&](nested_tasks& inner) {
      undeclared = message_of([&] { inner.task({in(a)}, [] {}); });
      read_only = message_of([&] { inner.task({inout(std::span(a).first(2))}, [] {}); });
      inner.task({in(std::span(a).first(2)), inout(a[1])}, [] {});
    });
    EXPECT_NE(message_of([&] { graph.task({weak_in(a)}, [] {}); }).find("nested_tasks&"), std::string::npos);
    const auto b = graph.buffer<int>(1);
    EXPECT_THROW(graph.task({out(b)}, [](nested_tasks&) {}), nearfork::error);
    EXPECT_THROW(graph.task({nearfork::commutative(a)}, [](nested_tasks&) {}), nearfork::error);
    graph.wait();
    EXPECT_NE(undeclared.find("nested_dataflow_test.cpp"), std::string::npos) << undeclared;
    EXPECT_NE(undeclared.find("does not name"), std::string::npos) << undeclared;
    EXPECT_NE(read_only.find("writes data"), std::string::npos) << read_only;
    std::string streamed;
    const auto stream = graph.stream<int>();
    graph.task({weak_inout(a)}, [&](nested_tasks& inner) {
      streamed = message_of([&] { inner.task({inout(a), out(stream)}, [](std::span<int>, std::span<int>) {}); });
    });
    graph.wait();
    EXPECT_NE(streamed.find("names a stream (access 2)"), std::string::npos) << streamed;
    EXPECT_NE(streamed.find("create the task by dataflow::task()"), std::string::npos) << streamed;
    graph.keep();
    EXPECT_THROW(graph.task({weak_in(a)}, [](nested_tasks&) {}), nearfork::error);
    graph.sync();
  });
}

/// A nested task reads what a later task writes, which waits for the parent's data.
TEST_P(nested_dataflow, a_ring_through_a_nested_task_is_named_and_dropped) {
  runtime_.run([&] {
    dataflow graph;
    int a = 0;
    const auto b = graph.buffer<int>(1);
    std::atomic<bool> all_created{false};
    graph.task({weak_inout(a)}, [&, b](nested_tasks& inner) {
      while (!all_created) std::this_thread::yield();
      inner.task({in(b), inout(a)}, [](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
    });
    graph.task({in(a), out(b)}, [](std::span<const int>, std::span<int>) { ADD_FAILURE(); });
    all_created = true;
    const std::string ring = message_of([&] { graph.wait(); });
    EXPECT_NE(ring.find("each of these waits for the one before"), std::string::npos) << ring;
    EXPECT_NE(ring.find("the buffer of"), std::string::npos) << ring;
    graph.task({inout(a)}, [&a] { a = 1; });
    graph.sync();
    EXPECT_EQ(a, 1);
  });
}

TEST(nested_priorities, ready_nested_tasks_run_by_priority_on_one_worker) {
  nearfork::runtime runtime(nearfork::test::with_workers(1));
  std::vector<unsigned> order;
  std::array<int, 4> parts{};
  runtime.run([&] {
    dataflow graph;
    graph.task({weak_inout(parts)}, [&](nested_tasks& inner) {
      for (const unsigned each : {1U, 3U, 0U, 2U})
        inner.task(
            {inout(parts[each])}, [&order, each] { order.push_back(each); }, nearfork::task_options{.priority = each});
    });
    graph.sync();
  });
  EXPECT_EQ(order, (std::vector<unsigned>{3, 2, 1, 0}));
}

}  // namespace

// Graphs whose tasks are added while memory is short: each allocation on the way fails in turn.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "failing_allocations.hpp"
#include "runtime_settings.hpp"

namespace {

using namespace nearfork;
using test::failing_allocation;

/// More than adding one of these tasks takes.
constexpr long allocations = 12;

/// add(), with this allocation failing. False: nothing was added.
template <class Add>
bool is_added(long failing, const Add& add) {
  failing_allocation = failing;
  try {
    add();
  } catch (const std::bad_alloc&) {
    failing_allocation = 0;
    return false;
  }
  failing_allocation = 0;
  return true;
}

class short_memory : public testing::TestWithParam<bool> {
 protected:
  /// Calls use(graph) with a new graph, which is kept or not.
  template <class Use>
  void with_graph(const Use& use) {
    home.run([&] {
      dataflow graph;
      if (GetParam()) graph.keep();
      use(graph);
    });
  }
  runtime home{test::with_workers(2)};
};

TEST_P(short_memory, leaves_a_task_out_and_loses_no_other) {
  for (long failing = 1; failing <= allocations; ++failing)
    with_graph([&](dataflow& graph) {
      std::vector<int> cells(100, 0);
      int sum = 0;
      const auto add_all = [&] {
        graph.task({inout(cells)}, [&] {
          for (int& each : cells) ++each;
        });
      };
      const auto add_some = [&](std::size_t from) {
        const auto some = std::span(cells).subspan(from, 10);
        return [&graph, some] {
          graph.task({inout(some)}, [some] {
            for (int& each : some) each *= 2;
          });
        };
      };
      add_all();
      for (std::size_t i = 0; i < 20; ++i) graph.task({in(std::span(cells).subspan(i, 30))}, [] {});
      const bool cuts = is_added(failing, add_some(25));
      const bool is_whole = is_added(failing, add_all);
      add_some(30)();
      graph.task({in(cells), out(sum)}, [&] {
        for (const int each : cells) sum += each;
      });
      graph.wait();
      const auto expected = [&](std::size_t i) {
        int value = 1;
        if (cuts && i >= 25 && i < 35) value *= 2;
        if (is_whole) ++value;
        if (i >= 30 && i < 40) value *= 2;
        return value;
      };
      int all = 0;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        EXPECT_EQ(cells[i], expected(i)) << i << ", allocation " << failing;
        all += expected(i);
      }
      EXPECT_EQ(sum, all) << "allocation " << failing;
    });
}

TEST_P(short_memory, lets_no_two_commutative_tasks_run_at_once) {
  for (long failing = 1; failing <= allocations; ++failing)
    with_graph([&](dataflow& graph) {
      int cell = 0;
      std::atomic<bool> is_inside{false};
      int overlaps = 0;
      const auto add = [&] {
        graph.task({commutative(cell)}, [&] {
          if (is_inside.exchange(true)) ++overlaps;
          for (int i = 0; i < 1000; ++i) cell = cell + 1;
          is_inside = false;
        });
      };
      const int first = is_added(failing, add) ? 1 : 0;
      for (int i = 0; i < 100; ++i) add();
      graph.wait();
      EXPECT_EQ(overlaps, 0) << "allocation " << failing;
      EXPECT_EQ(cell, 1000 * (100 + first)) << "allocation " << failing;
    });
}

TEST_P(short_memory, ends_each_closure_once) {
  for (long failing = 1; failing <= allocations; ++failing) {
    const auto held = std::make_shared<int>(1);
    with_graph([&](dataflow& graph) {
      std::vector<int> cells(100);
      for (std::size_t i = 0; i < 50; ++i)
        (void)is_added(failing, [&] { graph.task({inout(std::span(cells).subspan(i, 20))}, [held] { ++*held; }); });
      graph.wait();
    });
    EXPECT_EQ(held.use_count(), 1) << "allocation " << failing;
  }
}

TEST_P(short_memory, of_a_task_that_others_wait_for_in_vain_is_told_by_wait) {
  if (GetParam()) return;  // kept tasks name buffers as these do
  for (long failing = 1; failing <= allocations; ++failing)
    home.run([&] {
      dataflow graph;
      const auto written = graph.buffer<int>(1);
      int seen = 0;
      const bool added = is_added(failing, [&] { graph.task({out(written)}, [](std::span<int> to) { to[0] = 7; }); });
      bool is_there = added;
      if (!added) {
        try {
          graph.task({out(written)}, [](std::span<int> to) { to[0] = 7; });
          is_there = true;
        } catch (const error&) {  // the buffer has a writer already, the one that was not added whole
        }
      }
      graph.task({in(written)}, [&](std::span<const int> from) { seen = from[0]; });
      try {
        graph.wait();
        EXPECT_TRUE(is_there);
        EXPECT_EQ(seen, 7);
      } catch (const std::bad_alloc&) {
        EXPECT_FALSE(added);
        EXPECT_EQ(seen, 0);
      }
    });
}

INSTANTIATE_TEST_SUITE_P(graphs, short_memory, testing::Bool(),
                         [](const auto& is_kept) { return is_kept.param ? "kept" : "not_kept"; });

}  // namespace

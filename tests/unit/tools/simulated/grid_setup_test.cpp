// How simulated grids are allocated and filled before their first iteration.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "tools/simulated/simulated_workload.hpp"
#include "tools/workload_words.hpp"

namespace nearfork::tools {
namespace {

sim::program with_setup(std::string_view name, std::string_view size, sim::setup_kind setup) {
  const auto& what = workloads::find_workload(name);
  return simulated_program(what, {.size = size_of_workload(name, what.sizes, size), .setup = setup});
}

/// All that the tasks of a graph write, in ascending order.
std::vector<std::pair<std::uint64_t, std::uint64_t>> writes_of(const sim::task_graph& graph) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> writes;
  for (std::uint32_t task = 0; task < graph.size(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(tree_node{task}).size(); ++i)
      for (const sim::data_access& one : graph.work(tree_node{task}, i).accesses)
        if (one.kind == sim::access_kind::write) writes.emplace_back(one.begin_byte, one.size_bytes);
  std::ranges::sort(writes);
  return writes;
}

// Rows of 41 numbers are 328 bytes; malloc takes 336 for them, and its header lies before them.
TEST(cilk_setup, allocates_the_rows_of_both_buffers_in_turn_and_fills_one) {
  const sim::program heat = with_setup("heat", "rows=67,columns=41", sim::setup_kind::cilk);
  ASSERT_EQ(heat.setup.size(), 2U);
  const auto headers = writes_of(heat.setup[0]);
  const auto filled = writes_of(heat.setup[1]);
  ASSERT_EQ(headers.size(), 2U * 67);
  ASSERT_EQ(filled.size(), 67U);
  for (std::size_t i = 0; i < headers.size(); ++i) EXPECT_EQ(headers[i], std::pair(i * 336 + 8, std::uint64_t{8}));
  for (std::size_t row = 0; row < filled.size(); ++row)
    EXPECT_EQ(filled[row], std::pair(2 * row * 336 + 16, std::uint64_t{328}));
  const auto written = writes_of(heat.graphs[0]);
  ASSERT_EQ(written.size(), 65U) << "the first iteration writes the other buffer";
  EXPECT_EQ(written[0].first, (2 * 1 + 1) * 336U + 16);
}

TEST(cilk_setup, has_as_many_tasks_as_slabs_have_leaves) {
  const sim::program heat = with_setup("heat", "rows=64,columns=41", sim::setup_kind::cilk);
  for (const sim::task_graph& phase : heat.setup) EXPECT_EQ(phase.size(), 8U + 4 + 2 + 1);
}

TEST(cilk_setup, is_one_of_grids) {
  EXPECT_THROW((void)with_setup("fft", "test", sim::setup_kind::cilk), error);
  EXPECT_NO_THROW((void)with_setup("ge-ir", "test", sim::setup_kind::cilk));
}

TEST(parallel_setup, writes_all_buffers_as_an_iteration_would) {
  const sim::program heat = with_setup("heat", "rows=67,columns=41", sim::setup_kind::parallel);
  ASSERT_EQ(heat.setup.size(), 1U);
  const auto filled = writes_of(heat.setup[0]);
  ASSERT_EQ(filled.size(), 2U * 67);
  EXPECT_EQ(filled.front(), std::pair(std::uint64_t{0}, std::uint64_t{328}));
  EXPECT_EQ(filled[67], std::pair(std::uint64_t{24'576}, std::uint64_t{328}));
  EXPECT_EQ(with_setup("sor", "rows=67,columns=41", sim::setup_kind::parallel).setup.front().size(),
            heat.setup.front().size());
}

TEST(setup_of_workloads, writes_all_arrays_first) {
  const sim::program heat = with_setup("heat", "rows=67,columns=41", setup_of_workloads);
  ASSERT_EQ(heat.setup.size(), 1U);
  using writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(writes_of(heat.setup[0]), (writes{{0, 67 * 41 * 8}, {24'576, 67 * 41 * 8}}));
  EXPECT_TRUE(with_setup("fib", "test", setup_of_workloads).setup.empty()) << "it has no data";
}

}  // namespace
}  // namespace nearfork::tools

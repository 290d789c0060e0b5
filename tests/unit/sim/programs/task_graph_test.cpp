#include "sim/programs/task_graph.hpp"

#include <gtest/gtest.h>

#include "sim/programs/program.hpp"

namespace nearfork::sim {
namespace {

/// Two forks in sequence: the first of two children, the second of three.
task_tree two_forks() {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  (void)tree.try_fork(tree_root, 3);
  return tree;
}

TEST(task_graph, keeps_what_a_task_does_between_its_forks) {
  task_graph graph(two_forks());
  const data_access accesses[] = {{100, 50, access_kind::read}, {0, 8, access_kind::write}};
  graph.set_work(tree_root, 1, 7, accesses);
  graph.set_work(tree_node{4}, 0, 9);
  EXPECT_EQ(graph.forks(tree_root).size(), 2U);
  EXPECT_EQ(graph.forks(tree_root)[1].branching, 3U);
  EXPECT_TRUE(graph.forks(tree_node{4}).empty());
  EXPECT_EQ(graph.work(tree_root, 0).compute_ns, 0U);
  EXPECT_EQ(graph.work(tree_root, 1).compute_ns, 7U);
  ASSERT_EQ(graph.work(tree_root, 1).accesses.size(), 2U);
  EXPECT_EQ(graph.work(tree_root, 1).accesses[1], accesses[1]);
  EXPECT_EQ(graph.work(tree_node{4}, 0).compute_ns, 9U);
  EXPECT_EQ(graph.data_bytes(), 150U);
}

TEST(task_graph, sums_work_and_finds_the_longest_way) {
  task_graph graph(two_forks());
  for (std::uint32_t i = 0; i < 3; ++i) graph.set_work(tree_root, i, 1);
  for (std::uint32_t child = 1; child <= 5; ++child) graph.set_work(tree_node{child}, 0, 10 * child);
  EXPECT_EQ(work_ns(graph), 3U + 150);
  EXPECT_EQ(span_ns(graph), 3U + 20 + 50);
}

std::uint64_t lines_written(const task_graph& graph) {
  std::uint64_t bytes = 0;
  for (std::uint32_t task = 0; task < graph.size(); ++task)
    for (const data_access& one : graph.work(tree_node{task}, 0).accesses)
      if (one.kind == access_kind::write) bytes += one.size_bytes;
  return bytes / 64;
}

TEST(program, a_grid_is_written_once_in_each_iteration) {
  const grid_shape shape{.rows = 100, .row_bytes = 640, .leaf_rows = 7};
  for (const program& grid : {regular_grid(shape), irregular_grid(shape, 3)}) {
    EXPECT_EQ(lines_written(grid.graph_of(0)), 1000U);
    EXPECT_EQ(lines_written(grid.graph_of(1)), 1000U);
    EXPECT_EQ(grid.data_bytes(), 2U * 64000);
    EXPECT_NE(grid.graph_of(0).work(tree_node{grid.graph_of(0).size() - 1}, 0).accesses[0],
              grid.graph_of(1).work(tree_node{grid.graph_of(1).size() - 1}, 0).accesses[0]);
  }
}

TEST(program, an_irregular_grid_forks_now_two_now_more) {
  const program grid = irregular_grid({.rows = 1000, .row_bytes = 64, .leaf_rows = 4}, 1);
  const task_graph& graph = grid.graph_of(0);
  bool two = false;
  bool more = false;
  for (std::uint32_t task = 0; task < graph.size(); ++task)
    for (const task_graph::fork& one : graph.forks(tree_node{task})) (one.branching == 2 ? two : more) = true;
  EXPECT_TRUE(two);
  EXPECT_TRUE(more);
}

}  // namespace
}  // namespace nearfork::sim

#include "sim/programs/graph_sketch.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

std::vector<data_access> accesses_of(const task_graph& graph, tree_node task, std::uint32_t stretch) {
  const auto all = graph.work(task, stretch).accesses;
  return {all.begin(), all.end()};
}

TEST(graph_sketch, keeps_what_is_done_between_forks_apart) {
  graph_sketch sketch;
  const data_access a{0, 64, access_kind::read};
  const data_access b{64, 64, access_kind::write};
  sketch.work(tree_root, 5, {&a, 1});
  const tree_node child = sketch.fork(tree_root, 2);
  sketch.work(child, 7, {&b, 1});
  sketch.work(tree_root, 11);
  const tree_node later = sketch.fork(tree_root, 3);
  EXPECT_EQ(sketch.tasks(), 6U);
  const task_graph made = std::move(sketch).finish();
  EXPECT_EQ(made.size(), 6U);
  EXPECT_EQ(made.forks(tree_root).size(), 2U);
  EXPECT_EQ(made.forks(tree_root)[1].first_child, later);
  EXPECT_EQ(made.work(tree_root, 0).compute_ns, 5U);
  EXPECT_EQ(made.work(tree_root, 1).compute_ns, 11U);
  EXPECT_EQ(made.work(tree_root, 2).compute_ns, 0U);
  EXPECT_EQ(accesses_of(made, tree_root, 0), std::vector<data_access>{a});
  EXPECT_EQ(accesses_of(made, child, 0), std::vector<data_access>{b});
}

TEST(graph_sketch, adds_up_what_one_stretch_does_in_parts_though_other_tasks_came_between) {
  graph_sketch sketch;
  const tree_node child = sketch.fork(tree_root, 2);
  const tree_node other{index_of(child) + 1};
  const data_access first{0, 64, access_kind::read};
  const data_access second{128, 64, access_kind::write};
  sketch.work(child, 1, {&first, 1});
  sketch.work(other, 100);
  sketch.work(child, 2, {&second, 1});
  const task_graph made = std::move(sketch).finish();
  EXPECT_EQ(made.work(child, 0).compute_ns, 3U);
  EXPECT_EQ(accesses_of(made, child, 0), (std::vector<data_access>{first, second}));
  EXPECT_EQ(made.work(other, 0).compute_ns, 100U);
  EXPECT_EQ(made.data_bytes(), 192U);
}

TEST(graph_sketch, refuses_more_tasks_than_it_may_have) {
  graph_sketch sketch(3);
  const tree_node child = sketch.fork(tree_root, 2);
  EXPECT_THROW((void)sketch.fork(child, 2), error);
}

}  // namespace
}  // namespace nearfork::sim

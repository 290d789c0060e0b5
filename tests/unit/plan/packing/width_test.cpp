#include "plan/packing/width.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "unit/plan/profile/random_tree.hpp"

namespace nearfork {
namespace {

TEST(task_widths, count_the_leaves_of_a_tree_whose_tasks_fork_once) {
  const task_tree tree = regular_tree(3, 4);
  EXPECT_EQ(task_widths(tree).of(tree_root), 81U);
}

TEST(task_widths, of_a_lone_task_is_one) {
  EXPECT_EQ(task_widths(task_tree()).of(tree_root), 1U);
}

TEST(task_widths, count_only_the_widest_of_forks_that_come_one_after_the_other) {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  const tree_node wide = tree.try_fork(tree_root, 5);
  (void)tree.try_fork(tree_root, 3);
  (void)tree.try_fork(wide, 4);
  const task_widths widths(tree);
  EXPECT_EQ(widths.of(wide), 4U);
  EXPECT_EQ(widths.of(tree_root), 8U);
}

/// The same by definition.
std::uint32_t width_by_definition(const task_tree& tree, tree_node node) {
  std::uint32_t widest = 1;
  tree.for_each_fork(node, [&](tree_node first, std::uint32_t branching) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < branching; ++i) sum += width_by_definition(tree, tree_node{index_of(first) + i});
    widest = std::max(widest, sum);
  });
  return widest;
}

TEST(task_widths, agree_with_the_definition_for_trees_of_any_shape) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const task_tree tree = random_tree(seed, 100);
    const task_widths widths(tree);
    for (std::uint32_t i = 0; i < tree.size(); ++i)
      ASSERT_EQ(widths.of(tree_node{i}), width_by_definition(tree, tree_node{i})) << seed << " " << i;
  }
}

}  // namespace
}  // namespace nearfork

#include "plan/profile/task_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "random_tree.hpp"

namespace nearfork {
namespace {

std::vector<std::uint32_t> children_of(const task_tree& tree, tree_node node) {
  std::vector<std::uint32_t> children;
  tree.for_each_child(node, [&](tree_node child) { children.push_back(index_of(child)); });
  return children;
}

TEST(task_tree, starts_as_a_root_alone) {
  const task_tree tree;
  EXPECT_EQ(tree.size(), 1U);
  EXPECT_TRUE(tree.is_leaf(tree_root));
  EXPECT_EQ(tree.parent(tree_root), no_node);
  EXPECT_EQ(tree.position(tree_root), (sibling_position{0, 1}));
  EXPECT_EQ(tree.depth(tree_root), 0U);
}

TEST(task_tree, knows_the_ith_of_b_children) {
  task_tree tree;
  const tree_node first = tree.try_fork(tree_root, 3);
  const tree_node second{index_of(first) + 1};
  EXPECT_EQ(tree.position(second), (sibling_position{1, 3}));
  EXPECT_EQ(tree.parent(second), tree_root);
  const tree_node grandchild = tree.try_fork(second, 2);
  EXPECT_EQ(tree.depth(grandchild), 2U);
  EXPECT_EQ(tree.parent(grandchild), second);
  EXPECT_FALSE(tree.is_leaf(second));
  EXPECT_TRUE(tree.is_leaf(first));
}

TEST(task_tree, keeps_successive_forks_apart) {
  task_tree tree;
  const tree_node halves = tree.try_fork(tree_root, 2);
  (void)tree.try_fork(halves, 4);  // grows in between
  const tree_node merge = tree.try_fork(tree_root, 3);
  std::vector<std::uint32_t> branchings;
  tree.for_each_fork(tree_root, [&](tree_node, std::uint32_t branching) { branchings.push_back(branching); });
  EXPECT_EQ(branchings, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(tree.position(merge), (sibling_position{0, 3}));
  EXPECT_EQ(children_of(tree, tree_root), (std::vector<std::uint32_t>{1, 2, 7, 8, 9}));
}

TEST(task_tree, refuses_more_nodes_than_it_may_have_and_stays_as_it_was) {
  task_tree tree(4);
  EXPECT_NE(tree.try_fork(tree_root, 2), no_node);
  EXPECT_EQ(tree.try_fork(tree_node{1}, 2), no_node);
  EXPECT_EQ(tree.size(), 3U);
  EXPECT_TRUE(tree.is_leaf(tree_node{1}));
  EXPECT_NE(tree.try_fork(tree_node{2}, 1), no_node);
  EXPECT_EQ(tree.try_fork(tree_node{2}, 1), no_node);
}

TEST(task_tree, shape_does_not_depend_on_the_order_of_discovery) {
  task_tree one;
  (void)one.try_fork(tree_root, 2);
  (void)one.try_fork(tree_node{1}, 2);
  (void)one.try_fork(tree_node{2}, 3);
  task_tree other;
  (void)other.try_fork(tree_root, 2);
  (void)other.try_fork(tree_node{2}, 3);
  (void)other.try_fork(tree_node{1}, 2);
  EXPECT_TRUE(one.same_shape(other));
  EXPECT_TRUE(other.same_shape(one));
}

TEST(task_tree, shape_tells_mirrored_trees_and_split_forks_apart) {
  task_tree left;
  (void)left.try_fork(tree_root, 2);
  (void)left.try_fork(tree_node{1}, 2);
  task_tree right;
  (void)right.try_fork(tree_root, 2);
  (void)right.try_fork(tree_node{2}, 2);
  EXPECT_FALSE(left.same_shape(right));

  task_tree at_once;
  (void)at_once.try_fork(tree_root, 4);
  task_tree in_turn;
  (void)in_turn.try_fork(tree_root, 2);
  (void)in_turn.try_fork(tree_root, 2);
  EXPECT_FALSE(at_once.same_shape(in_turn));
  EXPECT_FALSE(task_tree{}.same_shape(at_once));
}

RC_GTEST_PROP(task_tree, parents_come_first_and_children_find_them_again, (std::uint64_t seed)) {
  const task_tree tree = random_tree(seed, 300);
  std::size_t seen = 1;
  for (std::uint32_t i = 0; i < tree.size(); ++i)
    tree.for_each_fork(tree_node{i}, [&](tree_node first, std::uint32_t branching) {
      for (std::uint32_t k = 0; k < branching; ++k, ++seen) {
        const tree_node child{index_of(first) + k};
        RC_ASSERT(index_of(child) > i);
        RC_ASSERT(tree.parent(child) == tree_node{i});
        RC_ASSERT(tree.position(child) == (sibling_position{k, branching}));
      }
    });
  RC_ASSERT(seen == tree.size());
  RC_ASSERT(tree.same_shape(random_tree(seed, 300)));
}

}  // namespace
}  // namespace nearfork

#include "plan/packing/packing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "unit/plan/profile/random_tree.hpp"

namespace nearfork {
namespace {

packing nodes(std::initializer_list<std::uint32_t> indices) {
  packing made;
  for (const auto i : indices) made.push_back(tree_node{i});
  return made;
}

may_be_root deeper_than(const task_tree& tree, std::uint32_t depth) {
  return [&tree, depth](tree_node node) { return tree.depth(node) > depth; };
}

/// Every way from the root to a leaf meets exactly one subtree root.
void check_packing(const task_tree& tree, const packing& roots) {
  RC_ASSERT(std::is_sorted(roots.begin(), roots.end()));
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    if (!tree.is_leaf(tree_node{i})) continue;
    int met = 0;
    for (tree_node node{i}; node != no_node; node = tree.parent(node))
      met += std::binary_search(roots.begin(), roots.end(), node) ? 1 : 0;
    RC_ASSERT(met == 1);
  }
}

/// 0 forks 1 and 2; 1 forks 3 and 4; 3 forks 5 and 6. Tasks 2 and 4 are leaves.
task_tree left_heavy() {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  (void)tree.try_fork(tree_node{1}, 2);
  (void)tree.try_fork(tree_node{3}, 2);
  return tree;
}

TEST(highest_roots, takes_the_highest_that_may_and_leaves_that_nobody_covers) {
  const task_tree tree = left_heavy();
  EXPECT_EQ(highest_roots(tree, [](tree_node) { return true; }), nodes({0}));
  EXPECT_EQ(highest_roots(tree, deeper_than(tree, 1)), nodes({2, 3, 4}));
  EXPECT_EQ(highest_roots(tree, [](tree_node) { return false; }), nodes({2, 4, 5, 6}));
}

TEST(one_level_down, leaves_stay_while_others_move) {
  const task_tree tree = left_heavy();
  EXPECT_EQ(one_level_down(tree, nodes({0})), nodes({1, 2}));
  EXPECT_EQ(one_level_down(tree, nodes({1, 2})), nodes({2, 3, 4}));
  EXPECT_EQ(one_level_down(tree, nodes({2, 4, 5, 6})), nodes({2, 4, 5, 6}));
}

TEST(one_level_up, the_higher_of_two_wins) {
  const task_tree tree = left_heavy();
  const auto any = [](tree_node) { return true; };
  EXPECT_EQ(one_level_up(tree, nodes({2, 4, 5, 6}), any), nodes({0})) << "2's parent lies above all";
  const auto but_the_root = [](tree_node node) { return node != tree_root; };
  EXPECT_EQ(one_level_up(tree, nodes({2, 4, 5, 6}), but_the_root), nodes({1, 2})) << "4's parent lies above 5 and 6";
  EXPECT_EQ(one_level_up(tree, nodes({1, 2}), but_the_root), nodes({1, 2}));
}

TEST(one_level_down, takes_the_children_of_all_forks) {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  (void)tree.try_fork(tree_root, 3);
  EXPECT_EQ(one_level_down(tree, nodes({0})), nodes({1, 2, 3, 4, 5}));
}

TEST(with_at_least, goes_down_until_there_are_enough_or_no_more) {
  const task_tree tree = left_heavy();
  EXPECT_EQ(with_at_least(1, tree, nodes({0})), nodes({0}));
  EXPECT_EQ(with_at_least(3, tree, nodes({0})), nodes({2, 3, 4}));
  EXPECT_EQ(with_at_least(100, tree, nodes({0})), nodes({2, 4, 5, 6}));
}

TEST(packing_ladder, ends_at_the_leaves_and_below_too_few) {
  const task_tree tree = regular_tree(2, 4);
  packing_ladder ladder(tree, highest_roots(tree, deeper_than(tree, 1)), [](tree_node) { return true; }, 2);
  ASSERT_NE(ladder.at(0), nullptr);
  EXPECT_EQ(ladder.at(0)->size(), 4U);
  EXPECT_EQ(ladder.at(2)->size(), 16U);
  EXPECT_EQ(ladder.at(3), nullptr);
  EXPECT_EQ(ladder.at(1)->size(), 8U);
  EXPECT_EQ(ladder.at(-1)->size(), 2U);
  EXPECT_EQ(ladder.at(-2), nullptr) << "one subtree is too few";
}

RC_GTEST_PROP(packing, every_leaf_lies_in_one_subtree_at_every_level, (std::uint64_t seed)) {
  const task_tree tree = random_tree(seed, 200);
  const may_be_root allowed = [&](tree_node node) { return rng::for_stream(seed, index_of(node)).below(3) == 0; };
  packing_ladder ladder(tree, highest_roots(tree, allowed), allowed, 1);
  for (const int step : {1, -1})
    for (int level = 0; ladder.at(level) != nullptr; level += step) {
      check_packing(tree, *ladder.at(level));
      RC_ASSERT(level < 300 && level > -300);
    }
  check_packing(tree, with_at_least(5, tree, *ladder.at(0)));
}

// A level up undoes a level down where all roots move, which they do on regular trees.
RC_GTEST_PROP(packing, up_is_the_inverse_of_down_on_regular_trees, (std::uint64_t seed)) {
  rng random(seed);
  const auto depth = 2 + random.below(4);
  const task_tree tree = regular_tree(2 + random.below(2), depth);
  const packing roots = highest_roots(tree, deeper_than(tree, random.below(depth - 1)));
  RC_ASSERT(one_level_up(tree, one_level_down(tree, roots), [](tree_node) { return true; }) == roots);
}

}  // namespace
}  // namespace nearfork

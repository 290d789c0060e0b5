#include "plan/plans/plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "unit/plan/profile/random_tree.hpp"

namespace nearfork {
namespace {

placement above(std::uint16_t domain = any_domain) {
  return {.domain = domain, .pool = pool_class::high, .children = spawn_order::parent_first, .subtree_root = false};
}
placement root_on(std::uint16_t domain, pool_class pool = pool_class::high) {
  return {.domain = domain, .pool = pool, .children = spawn_order::child_first, .subtree_root = true};
}

TEST(plan, empty_says_nothing) {
  const plan nothing;
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.root(), nullptr);
  plan_cursor cursor(nothing);
  EXPECT_FALSE(cursor.planned());
  EXPECT_TRUE(cursor.next_fork(2).empty());
  EXPECT_FALSE(cursor.strayed());
}

// Two levels above the roots of a binary tree of depth 10: 1 + 2 + 4 nodes, whatever lies below.
TEST(plan, holds_only_what_is_at_and_above_the_subtree_roots) {
  const task_tree tree = regular_tree(2, 10);
  std::vector<tree_node> asked;
  const plan made(tree, [&](tree_node node) {
    asked.push_back(node);
    return tree.depth(node) < 2 ? above() : root_on(static_cast<std::uint16_t>(tree.position(node).index));
  });
  EXPECT_EQ(made.nodes().size(), 7U);
  EXPECT_EQ(asked.size(), 7U);
}

TEST(plan, is_followed_by_a_cursor_down_to_the_roots) {
  const task_tree tree = regular_tree(2, 4);
  const plan made(tree, [&](tree_node node) { return tree.depth(node) < 2 ? above(3) : root_on(1, pool_class::low); });
  plan_cursor at_root(made);
  ASSERT_TRUE(at_root.planned());
  const auto children = at_root.next_fork(2);
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children[1].where, above(3));
  plan_cursor at_child(made, &children[1]);
  const auto roots = at_child.next_fork(2);
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_EQ(roots[0].where, root_on(1, pool_class::low));
  plan_cursor inside(made, &roots[0]);
  EXPECT_FALSE(inside.planned());
  EXPECT_TRUE(inside.next_fork(2).empty());
  EXPECT_FALSE(inside.strayed());
}

TEST(plan, follows_successive_forks_of_a_task) {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  const tree_node merge = tree.try_fork(tree_root, 3);
  const plan made(tree, [&](tree_node node) {
    return node == tree_root ? above() : root_on(index_of(node) >= index_of(merge) ? 1 : 0);
  });
  plan_cursor cursor(made);
  EXPECT_EQ(cursor.next_fork(2)[0].where.domain, 0);
  EXPECT_TRUE(cursor.forks_missing());
  EXPECT_EQ(cursor.next_fork(3)[2].where.domain, 1);
  EXPECT_FALSE(cursor.forks_missing());
}

TEST(plan, a_fork_with_other_branching_is_strayed_and_unplanned) {
  const task_tree tree = regular_tree(2, 3);
  const plan made(tree, [&](tree_node node) { return tree.depth(node) < 2 ? above() : root_on(0); });
  plan_cursor cursor(made);
  EXPECT_TRUE(cursor.next_fork(3).empty());
  EXPECT_TRUE(cursor.strayed());
  EXPECT_FALSE(cursor.planned());
  EXPECT_TRUE(cursor.next_fork(2).empty()) << "a strayed task is not planned again";
}

TEST(plan, a_fork_too_many_is_strayed) {
  const plan made(regular_tree(2, 1), [](tree_node node) { return node == tree_root ? above() : root_on(0); });
  plan_cursor cursor(made);
  EXPECT_EQ(cursor.next_fork(2).size(), 2U);
  EXPECT_FALSE(cursor.strayed());
  EXPECT_TRUE(cursor.next_fork(2).empty());
  EXPECT_TRUE(cursor.strayed());
}

TEST(plan, a_root_that_is_a_subtree_root_is_all_there_is) {
  const plan made(regular_tree(2, 5), [](tree_node) { return root_on(2); });
  EXPECT_EQ(made.nodes().size(), 1U);
  EXPECT_EQ(made.root()->where, root_on(2));
  EXPECT_FALSE(plan_cursor(made).planned());
}

TEST(plan, counts_the_subtrees_that_each_domain_is_home_of) {
  const task_tree tree = regular_tree(3, 2);
  const plan made(tree, [&](tree_node node) {
    if (tree.depth(node) < 2) return above();
    return root_on(index_of(node) % 2 == 0 ? any_domain : static_cast<std::uint16_t>(tree.position(node).index));
  });
  EXPECT_EQ(made.subtrees_at_home_in(0) + made.subtrees_at_home_in(1) + made.subtrees_at_home_in(2), 4U)
      << "five of nine are nowhere at home";
  EXPECT_EQ(made.subtrees_at_home_in(7), 0U);
  EXPECT_EQ(plan(regular_tree(2, 1), [](tree_node) { return root_on(0); }).subtrees_at_home_in(0), 0U)
      << "the root is sent nowhere";
}

/// A root that forks twice, into two tasks that fork again.
plan two_sweeps(bool turning) {
  task_tree tree;
  for (int sweeps = 0; sweeps < 2; ++sweeps) {
    const tree_node first = tree.try_fork(tree_root, 2);
    (void)tree.try_fork(first, 2);
  }
  plan made(tree, [&](tree_node node) { return tree.is_leaf(node) ? root_on(0) : above(); });
  if (turning) made.turn_back();
  return made;
}

TEST(plan, that_turns_back_runs_its_roots_forks_forward_and_backward_in_turn) {
  const plan made = two_sweeps(true);
  EXPECT_EQ(made.root_forks(), 2U);
  for (const sweep first : {sweep::forward, sweep::backward}) {
    plan_cursor at_root(made, first);
    planned_fork::child below = at_root.fork(2).at(0);
    EXPECT_EQ(below.cursor.fork(2).way(), first) << "tasks below go the way of their root's fork";
    const planned_fork second = at_root.fork(2);
    EXPECT_EQ(second.way(), turned(first));
    EXPECT_EQ(second.at(0).cursor.fork(2).way(), turned(first));
  }
}

TEST(plan, goes_forward_unless_it_turns_back) {
  const plan made = two_sweeps(false);
  plan_cursor at_root(made);
  EXPECT_EQ(at_root.fork(2).way(), sweep::forward);
  EXPECT_EQ(at_root.fork(2).way(), sweep::forward);
}

TEST(planned_fork, brings_each_child_with_its_cursor) {
  const task_tree tree = regular_tree(2, 4);
  const plan made(tree, [&](tree_node node) { return tree.depth(node) < 2 ? above(3) : root_on(1); });
  plan_cursor at_root(made);
  const planned_fork children = at_root.fork(2);
  ASSERT_FALSE(children.empty());
  planned_fork::child second = children.at(1);
  EXPECT_EQ(second.where, above(3));
  const planned_fork::child root = second.cursor.fork(2).at(0);
  EXPECT_EQ(root.where, root_on(1));
  EXPECT_FALSE(root.cursor.planned());
  EXPECT_TRUE(plan_cursor().fork(2).empty());
  EXPECT_TRUE(at_root.fork(2).empty());
  EXPECT_TRUE(at_root.strayed());
}

// A worker that walks the tree with cursors meets at every task exactly the placement that was decided for the task,
// and meets nothing planned below roots.
void walk(const plan& made, const task_tree& tree, tree_node node, plan_cursor cursor, const plan::decision& decide) {
  tree.for_each_fork(node, [&](tree_node first, std::uint32_t branching) {
    const bool planned = cursor.planned();
    const auto children = cursor.next_fork(branching);
    RC_ASSERT(children.size() == (planned ? branching : 0));
    for (std::uint32_t i = 0; i < branching; ++i) {
      const tree_node child{index_of(first) + i};
      if (planned) RC_ASSERT(children[i].where == decide(child));
      walk(made, tree, child, planned ? plan_cursor(made, &children[i]) : plan_cursor(), decide);
    }
  });
  RC_ASSERT(!cursor.strayed());
  RC_ASSERT(!cursor.forks_missing());
}

RC_GTEST_PROP(plan, every_planned_task_is_met_where_it_stands, (std::uint64_t seed)) {
  const task_tree tree = random_tree(seed, 200);
  const plan::decision decide = [&](tree_node node) {
    rng random = rng::for_stream(seed, index_of(node));
    const auto domain = static_cast<std::uint16_t>(random.below(24));
    return random.below(3) == 0 ? root_on(domain) : above(domain);
  };
  const plan made(tree, decide);
  RC_ASSERT(made.root()->where == decide(tree_root));
  walk(made, tree, tree_root, plan_cursor(made), decide);
}

}  // namespace
}  // namespace nearfork

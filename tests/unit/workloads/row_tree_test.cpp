#include "workloads/row_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace nearfork::workloads {
namespace {

void collect(const row_tree& tree, const row_task& task, unsigned depth, std::vector<row_task>& leaves,
             std::set<unsigned>& depths, std::set<unsigned>& degrees) {
  if (row_tree::is_leaf(task)) {
    leaves.push_back(task);
    depths.insert(depth);
    return;
  }
  degrees.insert(row_tree::children(task));
  for (unsigned i = 0; i < row_tree::children(task); ++i)
    collect(tree, tree.child(task, i), depth + 1, leaves, depths, degrees);
}

RC_GTEST_PROP(row_tree, leaves_tile_the_rows_and_have_8_each, ()) {
  const auto shape = *rc::gen::element(tree_shape::regular, tree_shape::irregular);
  const auto first = *rc::gen::inRange<std::size_t>(0, 100);
  const auto last = first + *rc::gen::inRange<std::size_t>(1, 3000);
  std::vector<row_task> leaves;
  std::set<unsigned> depths;
  std::set<unsigned> degrees;
  collect(row_tree(shape), {first, last}, 0, leaves, depths, degrees);
  std::size_t next = first;
  for (const row_task& leaf : leaves) {
    RC_ASSERT(leaf.first == next);
    RC_ASSERT(leaf.last > leaf.first);
    RC_ASSERT(leaf.last - leaf.first == leaf_rows || leaf.last == last);
    next = leaf.last;
  }
  RC_ASSERT(next == last);
}

TEST(row_tree, is_regular_or_not) {
  for (const auto shape : {tree_shape::regular, tree_shape::irregular}) {
    std::vector<row_task> leaves;
    std::set<unsigned> depths;
    std::set<unsigned> degrees;
    collect(row_tree(shape), {0, 2048}, 0, leaves, depths, degrees);
    EXPECT_EQ(leaves.size(), 256U);
    if (shape == tree_shape::regular) {
      EXPECT_EQ(depths, std::set<unsigned>{8});
      EXPECT_EQ(degrees, std::set<unsigned>{2});
    } else {
      EXPECT_GT(depths.size(), 1U) << "leaves at different depths";
      EXPECT_EQ(degrees, (std::set<unsigned>{2, 3, 4}));
    }
  }
}

TEST(row_tree, degrees_are_those_that_its_comment_says) {
  const row_tree tree(tree_shape::irregular);
  const row_task root{0, 8000};
  EXPECT_EQ(tree.child(root, 0).degree, 4U);
  EXPECT_EQ(tree.child(root, 1).degree, 2U);
  EXPECT_EQ(tree.child(tree.child(root, 0), 1).degree, 4U);
  EXPECT_EQ(tree.child(tree.child(root, 0), 3).degree, 3U);
}

}  // namespace
}  // namespace nearfork::workloads

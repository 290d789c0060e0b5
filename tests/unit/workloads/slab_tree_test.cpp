#include "workloads/grid/slab_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace nearfork::workloads {
namespace {

void collect(const slab_tree& tree, const slab_task& task, unsigned depth, std::vector<slab_task>& leaves,
             std::set<unsigned>& depths, std::set<unsigned>& degrees) {
  if (slab_tree::is_leaf(task)) {
    leaves.push_back(task);
    depths.insert(depth);
    return;
  }
  degrees.insert(slab_tree::children(task));
  for (unsigned i = 0; i < slab_tree::children(task); ++i)
    collect(tree, tree.child(task, i), depth + 1, leaves, depths, degrees);
}

RC_GTEST_PROP(slab_tree, leaves_tile_the_slabs_and_have_8_each, ()) {
  const auto shape = *rc::gen::element(tree_shape::regular, tree_shape::irregular);
  const auto first = *rc::gen::inRange<std::size_t>(0, 100);
  const auto last = first + *rc::gen::inRange<std::size_t>(1, 3000);
  std::vector<slab_task> leaves;
  std::set<unsigned> depths;
  std::set<unsigned> degrees;
  collect(slab_tree(shape), {first, last}, 0, leaves, depths, degrees);
  std::size_t next = first;
  for (const slab_task& leaf : leaves) {
    RC_ASSERT(leaf.first == next);
    RC_ASSERT(leaf.last > leaf.first);
    RC_ASSERT(leaf.last - leaf.first == leaf_slabs || leaf.last == last);
    next = leaf.last;
  }
  RC_ASSERT(next == last);
}

TEST(slab_tree, is_regular_or_not) {
  for (const auto shape : {tree_shape::regular, tree_shape::irregular}) {
    std::vector<slab_task> leaves;
    std::set<unsigned> depths;
    std::set<unsigned> degrees;
    collect(slab_tree(shape), {0, 2048}, 0, leaves, depths, degrees);
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

TEST(slab_tree, degrees_are_those_that_its_comment_says) {
  const slab_tree tree(tree_shape::irregular);
  const slab_task root{0, 8000};
  EXPECT_EQ(tree.child(root, 0).degree, 4U);
  EXPECT_EQ(tree.child(root, 1).degree, 2U);
  EXPECT_EQ(tree.child(tree.child(root, 0), 1).degree, 4U);
  EXPECT_EQ(tree.child(tree.child(root, 0), 3).degree, 3U);
}

}  // namespace
}  // namespace nearfork::workloads

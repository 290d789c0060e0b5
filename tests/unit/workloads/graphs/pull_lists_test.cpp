#include "workloads/graphs/pull_lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "workloads/graphs/graph_generator.hpp"
#include "workloads/graphs/range_tree.hpp"

namespace nearfork::workloads {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

pull_lists lists_from(std::uint64_t nodes, const std::vector<edge>& edges, read_ends who) {
  return {nodes, who, [&](const auto& visit) {
            for (const edge one : edges) visit(one);
          }};
}

TEST(pull_lists, hold_where_edges_come_from) {
  const pull_lists made = lists_from(4, {{0, 1}, {2, 1}, {0, 1}, {3, 3}, {1, 0}}, read_ends::to_reads_from);
  EXPECT_THAT(made.view().offsets, ElementsAre(0, 1, 4, 4, 5));
  EXPECT_THAT(made.view().read_by(0), ElementsAre(1));
  EXPECT_THAT(made.view().read_by(1), ElementsAre(0, 2, 0));
  EXPECT_THAT(made.view().read_by(2), IsEmpty());
  EXPECT_THAT(made.view().read_by(3), ElementsAre(3));
  EXPECT_THAT(made.readers(), ElementsAre(2, 1, 1, 1));
}

TEST(pull_lists, hold_both_ends_if_both_read) {
  const pull_lists made = lists_from(3, {{0, 1}, {2, 1}}, read_ends::both);
  EXPECT_THAT(made.view().read_by(0), ElementsAre(1));
  EXPECT_THAT(made.view().read_by(1), ElementsAre(0, 2));
  EXPECT_THAT(made.view().read_by(2), ElementsAre(1));
}

RC_GTEST_PROP(pull_lists, have_each_edge_once,
              (std::uint8_t more, std::vector<std::pair<std::uint8_t, std::uint8_t>> pairs)) {
  const std::uint64_t nodes = 1 + more;
  std::vector<edge> edges;
  for (const auto& [from, to] : pairs)
    edges.push_back({static_cast<node_number>(from % nodes), static_cast<node_number>(to % nodes)});
  const pull_lists made = lists_from(nodes, edges, read_ends::to_reads_from);
  std::multiset<std::pair<node_number, node_number>> expected;
  for (const edge one : edges) expected.emplace(one.from, one.to);
  std::multiset<std::pair<node_number, node_number>> found;
  for (std::size_t node = 0; node < nodes; ++node)
    for (const node_number other : made.view().read_by(node)) found.emplace(other, static_cast<node_number>(node));
  RC_ASSERT(found == expected);
}

using ranges = std::vector<std::pair<std::size_t, std::size_t>>;

ranges leaves_of(const range_tree& tree, range_tree::range task) {
  if (tree.is_leaf(task)) return {{task.first, task.last}};
  const std::size_t middle = tree.middle(task);
  EXPECT_LT(task.first, middle);
  EXPECT_LT(middle, task.last);
  ranges made = leaves_of(tree, {task.first, middle});
  for (const auto& one : leaves_of(tree, {middle, task.last})) made.push_back(one);
  return made;
}

/// Leaves tile the nodes. One that is heavier than it should be has a single node.
void expect_tiles(const pull_lists& lists) {
  const range_tree tree(lists.view());
  std::size_t next = 0;
  for (const auto& [first, last] : leaves_of(tree, tree.root())) {
    EXPECT_EQ(first, next);
    next = last;
    const std::uint64_t weight = lists.view().offsets[last] - lists.view().offsets[first] + last - first;
    EXPECT_TRUE(weight <= range_tree::leaf_weight || last - first == 1) << first << ", " << last;
  }
  EXPECT_EQ(next, lists.view().nodes());
}

TEST(range_tree, tiles_the_nodes_with_leaves_of_bounded_weight) {
  expect_tiles(pull_lists(20'000, read_ends::both, zipf_graph{20'000, 2, 20, 1}));
  expect_tiles(pull_lists(20'000, read_ends::to_reads_from, rmat_graph{20'000, 200'000, 1}));
  expect_tiles(pull_lists(1, read_ends::both, zipf_graph{1, 5000, 5000, 1}));
}

/// One node reads all others: nobody halves the node, and all others are divided.
TEST(range_tree, gives_a_node_with_most_edges_a_leaf_of_its_own) {
  for (const node_number hub : {0U, 5000U, 9999U}) {
    std::vector<edge> edges;
    for (node_number i = 0; i < 10'000; ++i) edges.push_back({i, hub});
    const pull_lists lists = lists_from(10'000, edges, read_ends::to_reads_from);
    expect_tiles(lists);
    const range_tree tree(lists.view());
    const ranges leaves = leaves_of(tree, tree.root());
    EXPECT_THAT(leaves, testing::Contains(std::pair<std::size_t, std::size_t>(hub, hub + 1)));
    EXPECT_LE(leaves.size(), 12U);
  }
}

}  // namespace
}  // namespace nearfork::workloads

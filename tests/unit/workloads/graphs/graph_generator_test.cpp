#include "workloads/graphs/graph_generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/numbers_by_index.hpp"

namespace nearfork::workloads {
namespace {

template <class Graph>
std::vector<edge> edges_of(const Graph& graph) {
  std::vector<edge> edges;
  graph([&](edge one) { edges.push_back(one); });
  return edges;
}

/// Depends on each edge and on the order of edges.
template <class Graph>
std::uint64_t fingerprint_of(const Graph& graph) {
  std::uint64_t mix = 0;
  graph([&](edge one) { mix = mix * 31 + one.from * std::uint64_t{1'000'003} + one.to; });
  return mix;
}

TEST(numbers_by_index, are_those_of_splitmix64) {
  number_stream numbers(0);
  EXPECT_EQ(numbers.next(), 0xe220a8397b1dcdafU);
  EXPECT_EQ(numbers.next(), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(numbers.next(), 0x06c45d188009454fU);
}

/// Found by this code on x86-64, and to be found everywhere: only whole numbers take part.
TEST(graph_generator, makes_the_same_graph_on_every_machine) {
  EXPECT_EQ(fingerprint_of(zipf_graph{1000, 1, 10, 7}), 0x6600ab5d57853f02U);
  EXPECT_EQ(fingerprint_of(rmat_graph{1000, 5000, 7}), 0x2302c83b53388b9dU);
}

TEST(graph_generator, makes_other_graphs_of_other_seeds) {
  EXPECT_NE(fingerprint_of(zipf_graph{1000, 1, 10, 7}), fingerprint_of(zipf_graph{1000, 1, 10, 8}));
  EXPECT_NE(fingerprint_of(rmat_graph{1000, 5000, 7}), fingerprint_of(rmat_graph{1000, 5000, 8}));
}

TEST(zipf_graph, gives_each_node_as_many_edges_as_it_may_have) {
  std::vector<std::uint64_t> lists(20'000);
  for (const edge one : edges_of(zipf_graph{lists.size(), 2, 20, 1})) ++lists.at(one.to);
  std::vector<std::size_t> lengths(21);
  for (const std::uint64_t length : lists) ++lengths.at(length);
  EXPECT_EQ(lengths[0] + lengths[1], 0U);
  const double even = 20'000.0 / 19;
  for (std::size_t length = 2; length <= 20; ++length)
    EXPECT_NEAR(static_cast<double>(lengths[length]), even, 0.15 * even) << length;
}

TEST(zipf_graph, is_read_by_the_harmonic_law) {
  constexpr std::size_t nodes = 1000;
  std::vector<double> readers(nodes);
  double edges = 0;
  zipf_graph{nodes, 400, 400, 3}([&](edge one) {
    ++readers.at(one.from);
    ++edges;
  });
  double harmonic = 0;
  for (std::size_t rank = 1; rank <= nodes; ++rank) harmonic += 1.0 / static_cast<double>(rank);
  for (const std::size_t rank : {1U, 2U, 3U, 4U, 7U, 8U, 100U, 511U, 512U, 513U, 1000U}) {
    const double expected = edges / harmonic / static_cast<double>(rank);
    EXPECT_NEAR(readers[rank - 1], expected, 6 * std::sqrt(expected)) << rank;
  }
}

TEST(rmat_graph, has_all_its_edges_inside_and_most_in_the_first_quarter) {
  constexpr std::uint64_t nodes = 1024;
  const std::vector<edge> edges = edges_of(rmat_graph{nodes, 40'000, 1});
  ASSERT_EQ(edges.size(), 40'000U);
  const auto part = [&](bool from_low, bool to_low) {
    return static_cast<double>(std::ranges::count_if(
               edges, [&](edge one) { return (one.from < nodes / 2) == from_low && (one.to < nodes / 2) == to_low; })) /
           40'000;
  };
  EXPECT_NEAR(part(true, true), 0.57, 0.015);
  EXPECT_NEAR(part(true, false), 0.19, 0.015);
  EXPECT_NEAR(part(false, true), 0.19, 0.015);
  EXPECT_NEAR(part(false, false), 0.05, 0.015);
}

TEST(graph_generator, makes_graphs_of_any_number_of_nodes) {
  for (const std::uint64_t nodes : {1U, 2U, 3U, 5U, 1000U, 1025U}) {
    for (const edge one : edges_of(rmat_graph{nodes, 200, 5})) ASSERT_TRUE(one.from < nodes && one.to < nodes);
    for (const edge one : edges_of(zipf_graph{nodes, 1, 3, 5})) ASSERT_TRUE(one.from < nodes && one.to < nodes);
  }
}

}  // namespace
}  // namespace nearfork::workloads

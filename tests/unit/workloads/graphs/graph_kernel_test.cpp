// The graph programs' kernels and answers against values worked out by hand and by other algorithms.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include <nearfork/runtime.hpp>

#include "workloads/components/components.hpp"
#include "workloads/graphs/graph_generator.hpp"
#include "workloads/label_propagation/label_propagation.hpp"
#include "workloads/pagerank/pagerank.hpp"

namespace nearfork::workloads {
namespace {

pull_lists lists_with(std::uint64_t nodes, const std::vector<edge>& edges, read_ends who) {
  return {nodes, who, [&](const auto& visit) {
            for (const edge one : edges) visit(one);
          }};
}

/// The values after so many iterations of the kernel.
std::vector<double> computed(const graph_program& program, const pull_lists& lists, unsigned iterations) {
  const std::size_t nodes = lists.view().nodes();
  const std::vector<node_number> readers = lists.readers();
  constexpr std::size_t doubles = 3;
  std::vector<double> data(nodes * doubles);
  const node_records records{data.data(), doubles};
  for (std::size_t node = 0; node < nodes; ++node) records.value(node, 0) = program.first_value(node, readers[node]);
  for (unsigned i = 0; i < iterations; ++i) program.compute({lists.view(), readers.data(), records, i % 2}, 0, nodes);
  std::vector<double> values;
  for (std::size_t node = 0; node < nodes; ++node) {
    values.push_back(records.value(node, iterations % 2));
    EXPECT_EQ(data[node * doubles + 2], 0) << "what follows the values is not touched";
  }
  return values;
}

/// 0 -> 1, 0 -> 2, 1 -> 2: nobody leads to 0, so its rank is 0.15.
TEST(pagerank, gives_each_reader_an_equal_share) {
  const pull_lists lists = lists_with(3, {{0, 1}, {0, 2}, {1, 2}}, read_ends::to_reads_from);
  const auto once = computed(pagerank_program(), lists, 1);
  EXPECT_DOUBLE_EQ(once[0], 0.15 / 2);
  EXPECT_DOUBLE_EQ(once[1], 0.15 + 0.85 * 0.5);
  EXPECT_DOUBLE_EQ(once[2], 0.15 + 0.85 * (0.5 + 1));
  const auto twice = computed(pagerank_program(), lists, 2);
  EXPECT_DOUBLE_EQ(twice[2], 0.15 + 0.85 * (once[0] + once[1]));
}

TEST(pagerank, of_a_ring_stays_the_same) {
  const pull_lists lists = lists_with(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, read_ends::to_reads_from);
  for (const double share : computed(pagerank_program(), lists, 5)) EXPECT_DOUBLE_EQ(share, 1);
}

TEST(label_propagation, takes_the_most_frequent_label_and_the_lowest_of_several) {
  // Node 0 reads 3 (twice) and 1; node 1 reads 0 and 2; node 4 reads nobody.
  const pull_lists lists = lists_with(5, {{3, 0}, {1, 0}, {3, 0}, {2, 1}, {0, 1}}, read_ends::to_reads_from);
  const auto once = computed(label_propagation_program(), lists, 1);
  EXPECT_EQ(once, (std::vector<double>{3, 0, 2, 3, 4}));
}

TEST(components, takes_the_lowest_label_around) {
  const pull_lists path = lists_with(4, {{3, 2}, {2, 1}, {1, 0}}, read_ends::both);
  EXPECT_EQ(computed(components_program(), path, 1), (std::vector<double>{0, 0, 1, 2}));
  EXPECT_EQ(computed(components_program(), path, 3), (std::vector<double>{0, 0, 0, 0}));
}

node_number root_of(std::vector<node_number>& parents, node_number node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

TEST(components, are_those_of_union_and_find) {
  constexpr std::uint64_t nodes = 3000;
  const rmat_graph graph{nodes, 2000, 3};  // few edges, so many components
  std::vector<node_number> parents(nodes);
  std::iota(parents.begin(), parents.end(), 0U);
  graph([&](edge one) {
    const node_number a = root_of(parents, one.from);
    const node_number b = root_of(parents, one.to);
    parents[std::max(a, b)] = std::min(a, b);
  });
  const auto labels = computed(components_program(), pull_lists(nodes, read_ends::both, graph), 60);
  std::size_t components = 0;
  for (node_number node = 0; node < nodes; ++node) {
    ASSERT_EQ(labels[node], root_of(parents, node)) << node;
    components += parents[node] == node ? 1 : 0;
  }
  EXPECT_GT(components, 100U);
}

TEST(graph_programs, agree_with_their_answers) {
  for (const graph_program* const program : graph_programs()) {
    const pull_lists lists(2000, program->who_reads, rmat_graph{2000, 20'000, 9});
    const auto right = program->answer(lists.view(), lists.readers(), 4);
    const auto found = computed(*program, lists, 4);
    for (std::size_t node = 0; node < right.size(); ++node)
      ASSERT_NEAR(found[node], right[node], program->values == node_values::labels ? 0 : 1e-12 * right[node])
          << program->name << ", node " << node;
  }
}

const size_values& test_size(const workload& which) {
  return which.sizes.named_values("test");
}

TEST(graph_workloads, have_the_papers_sizes) {
  const auto of = [](const char* name) {
    const size_rules& rules = find_workload(name).sizes;
    return size_text(rules, rules.named_values("bats"));
  };
  EXPECT_EQ(of("pagerank"), "nodes=16777216 edges=10 node_bytes=1024 rmat=0 iterations=200");
  EXPECT_EQ(of("components"), "nodes=8388608 edges=20 node_bytes=2048 rmat=0 iterations=200");
}

TEST(graph_workloads, work_on_a_given_graph) {
  const auto graph = std::make_shared<const edge_list>(
      edge_list{.origin = "ring", .nodes = 5, .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}, .undirected = false});
  for (const workload& which : graph_workloads()) {
    const auto problem = prepare(which, test_size(which), {.graph = graph});
    problem->run_nearfork();
    EXPECT_EQ(problem->fault(), "") << which.name;
    EXPECT_LT(which.bytes(test_size(which), {.graph = graph}), which.bytes(test_size(which), {})) << which.name;
  }
}

}  // namespace
}  // namespace nearfork::workloads

#include "workloads/graphs/graph_sizes.hpp"

namespace nearfork::workloads {

size_table<graph_size> graph_sizes(const paper_graph& paper) {
  constexpr std::uint64_t two_values = 2 * sizeof(double);
  const auto sized = [&](std::uint64_t nodes, std::uint64_t node_bytes, std::uint64_t iterations) {
    return graph_size{
        .nodes = nodes, .edges = paper.edges, .node_bytes = node_bytes, .rmat = 0, .iterations = iterations};
  };
  return {
      {{&graph_size::nodes, {"nodes", "nodes of the graph", 1, most_graph_nodes, true}},
       {&graph_size::edges,
        {"edges", "the most edges of a node; the least are a tenth of that", 1, std::uint64_t{1} << 20, true}},
       {&graph_size::node_bytes,
        {"node_bytes", "bytes of a node's record, in whole numbers of 8 bytes", two_values, std::uint64_t{1} << 20}},
       {&graph_size::rmat,
        {"rmat", "0: edges by Zipf's law, 1: an R-MAT graph, with as many edges in all", 0, 1, true}},
       {&graph_size::iterations, {"iterations", "times that all nodes are computed", 1, 1'000'000}}},
      {{"default", sized(1 << 18, two_values, 20)},
       {"small", sized(1 << 14, two_values, 10)},
       {"test", sized(3000, 40, 3)},
       {"1gib", sized((std::uint64_t{1} << 30) / paper.node_bytes, paper.node_bytes, 8)},
       {"bats-1/16", sized(paper.nodes / 16, paper.node_bytes, 200)},
       {"bats", sized(paper.nodes, paper.node_bytes, 200)}}};
}

}  // namespace nearfork::workloads

#pragma once

#include "workloads/graphs/graph_program.hpp"

namespace nearfork::workloads {

/// A graph program's graph in BATS: so many nodes, each with up to `edges` edges and a record of `node_bytes`.
struct paper_graph {
  std::uint64_t nodes;
  std::uint64_t edges;
  std::uint64_t node_bytes;
};
[[nodiscard]] size_table<graph_size> graph_sizes(const paper_graph& paper);

}  // namespace nearfork::workloads

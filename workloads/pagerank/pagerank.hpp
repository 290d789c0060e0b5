// PageRank, as Spark's GraphX has it: each iteration computes the rank of every node from the ranks of the nodes with
// an edge to it, each divided by its number of edges. All ranks begin at 1. Nodes without edges of their own give their
// rank to nobody.
#pragma once

#include <algorithm>

#include "workloads/graphs/graph_program.hpp"

namespace nearfork::workloads {

/// The part of a rank that comes along edges.
inline constexpr double pagerank_damping = 0.85;

/// What each reader of a node gets of its rank: the value that records hold, so that a reader needs nothing else.
[[nodiscard]] inline double share_of_rank(double rank, node_number readers) noexcept {
  return rank / static_cast<double>(std::max<node_number>(readers, 1));
}

void pagerank_nodes(const graph_sweep& sweep, std::size_t first, std::size_t last);

[[nodiscard]] const graph_program& pagerank_program();

}  // namespace nearfork::workloads

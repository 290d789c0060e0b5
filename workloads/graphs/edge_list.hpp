#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nearfork::workloads {

/// Nodes are numbered from 0. A graph has at most this many, so that 32 bits hold a number and, in most places, their
/// count.
using node_number = std::uint32_t;
inline constexpr std::uint64_t most_graph_nodes = 0xffff'ffff;

struct edge {
  node_number from;
  node_number to;
  friend constexpr bool operator==(edge, edge) = default;
};

/// A graph as files have it. The same edge may occur several times, and counts as often.
struct edge_list {
  std::string origin{};  // where it comes from, for messages and results
  std::uint64_t nodes = 0;
  std::vector<edge> edges{};
  bool undirected = false;  // each edge also leads back
};

}  // namespace nearfork::workloads

// Graphs from files: Matrix Market (https://math.nist.gov/MatrixMarket/formats.html), and lists of edges as the
// Stanford Large Network Dataset Collection (SNAP) has them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tools/graph_files/text_source.hpp"
#include "workloads/graphs/edge_list.hpp"

namespace nearfork::tools {

/// What an edge takes while a graph is read and its lists are built.
inline constexpr std::uint64_t bytes_of_read_edge = 24;

/// Reads a graph line by line. A text that begins with "%%MatrixMarket" is a matrix whose entry (i, j) is an edge from
/// i to j; any other is a list of edges, two numbers a line, with comments after # or %, whose nodes are the numbers
/// that occur. Throws: nearfork::error with `name`, the line, what is wrong and what to do; also if the graph takes
/// more than `memory_bytes`.
[[nodiscard]] workloads::edge_list read_graph(text_source from, const std::string& name, std::uint64_t memory_bytes);

/// The same from a file.
[[nodiscard]] std::shared_ptr<const workloads::edge_list> read_graph_file(const std::string& path,
                                                                          std::uint64_t memory_bytes);

/// "graph web.mtx (9 nodes, undirected, 20 edges)". Its counts stand in for those of a size.
[[nodiscard]] std::string graph_text(const workloads::edge_list& graph);

}  // namespace nearfork::tools

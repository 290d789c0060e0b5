#include "tools/graph_files/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "tools/graph_files/graph_lines.hpp"
#include "workloads/memory.hpp"

namespace nearfork::tools {

std::uint64_t whole_number_in(const line_reader& from, std::string_view what, std::string_view word) {
  if (word.starts_with('-'))
    from.refuse(fmt::format("{} {} is negative; numbers of nodes and entries are not", what, quoted(word)));
  if (!std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; }))
    from.refuse(fmt::format("{} {} is no whole number", what, quoted(word)));
  const auto number = parse_number(word, any_number);
  if (!number) from.refuse(fmt::format("{} {} is no number of 64 bits{}", what, quoted(word), remark_on_number(word)));
  return *number;
}

void check_edges_fit(const line_reader& from, std::uint64_t edges, std::uint64_t memory_bytes) {
  if (edges <= memory_bytes / bytes_of_read_edge) return;
  from.refuse(
      fmt::format("{} edges take {} bytes of memory each while they are read, and {} are free; use a smaller "
                  "graph or a larger machine",
                  edges, bytes_of_read_edge, workloads::bytes_text(memory_bytes)));
}

workloads::edge_list read_graph(text_source from, const std::string& name, std::uint64_t memory_bytes) {
  line_reader lines(std::move(from), name);
  const bool has_line = lines.next();
  workloads::edge_list made = has_line && lines.line().starts_with("%%MatrixMarket")
                                  ? read_matrix_market(lines, memory_bytes)
                                  : read_edge_lines(lines, has_line, memory_bytes);
  made.origin = name;
  return made;
}

std::string graph_text(const workloads::edge_list& graph) {
  return fmt::format("graph {} ({}, {}{})", graph.origin, counted(graph.nodes, "node"),
                     graph.undirected ? "undirected, " : "", counted(graph.edges.size(), "edge"));
}

std::shared_ptr<const workloads::edge_list> read_graph_file(const std::string& path, std::uint64_t memory_bytes) {
  return std::make_shared<const workloads::edge_list>(read_graph(text_of_file(path), path, memory_bytes));
}

}  // namespace nearfork::tools

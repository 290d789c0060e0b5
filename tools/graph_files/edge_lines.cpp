#include <fmt/format.h>

#include "tools/graph_files/graph_lines.hpp"
#include "tools/graph_files/seen_ids.hpp"

namespace nearfork::tools {
namespace {

using workloads::edge_list;
using workloads::node_number;

node_number node_in(const line_reader& from, std::string_view word) {
  const std::uint64_t number = whole_number_in(from, "the node id", word);
  if (number > workloads::most_graph_nodes - 1)
    from.refuse(
        fmt::format("the node id {} is too large: ids are at most {}, so that they take 32 bits; number the "
                    "nodes anew",
                    number, workloads::most_graph_nodes - 1));
  return static_cast<node_number>(number);
}

void read_line(line_reader& from, edge_list& into, std::uint64_t memory_bytes) {
  const auto& words = from.words(2);
  if (words.empty() || words[0].starts_with('#') || words[0].starts_with('%')) return;
  if (words.size() != 2)
    from.refuse(words.size() < 2 ? "a line must have two node ids, or be a comment after #; this one has a single word"
                                 : "a line must have two node ids and nothing more; remove weights and other columns");
  const node_number first = node_in(from, words[0]);
  const node_number second = node_in(from, words[1]);
  check_edges_fit(from, into.edges.size() + 1, memory_bytes);
  into.edges.push_back({first, second});
}

/// Ids need not be contiguous: nodes are numbered anew, in the order of their ids.
void number_nodes(edge_list& of) {
  seen_ids ids;
  for (const workloads::edge& one : of.edges) {
    ids.add(one.from);
    ids.add(one.to);
  }
  of.nodes = ids.number_all();
  for (workloads::edge& one : of.edges) one = {ids.number_of(one.from), ids.number_of(one.to)};
}

}  // namespace

edge_list read_edge_lines(line_reader& from, bool has_line, std::uint64_t memory_bytes) {
  edge_list made;
  for (; has_line; has_line = from.next()) read_line(from, made, memory_bytes);
  if (made.edges.empty())
    from.refuse_file("it has no edges; a graph is a Matrix Market file, or a list with two node ids a line");
  number_nodes(made);
  return made;
}

}  // namespace nearfork::tools

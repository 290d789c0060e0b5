// What distinguishes one graph program from another: pagerank, label-propagation, components.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "workloads/graphs/graph_sweep.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct graph_size {
  std::uint64_t nodes = 1;
  std::uint64_t edges = 1;       // of one node, at most; at least a tenth of that
  std::uint64_t node_bytes = 0;  // of a record
  std::uint64_t rmat = 0;        // 1: an R-MAT graph
  std::uint64_t iterations = 1;

  [[nodiscard]] constexpr std::uint64_t least_edges() const noexcept { return (edges + 9) / 10; }
  /// Records consist of doubles.
  [[nodiscard]] constexpr std::uint64_t record_doubles() const noexcept { return (node_bytes + 7) / 8; }
  /// In all, as drawn; of a Zipf graph, expected.
  [[nodiscard]] constexpr std::uint64_t drawn_edges() const noexcept { return nodes * (least_edges() + edges) / 2; }
};

/// What the values of nodes are, and so how exactly they must be right.
enum class node_values : std::uint8_t {
  shares,  // what each reader gets of a rank: right up to rounding
  labels,  // numbers of nodes: exact
};

struct graph_program {
  std::string_view name;
  std::string_view description;
  read_ends who_reads;
  node_values values;
  size_table<graph_size> sizes;
  graph_kernel compute;
  /// A node's value before the first iteration.
  double (*first_value)(std::size_t node, node_number readers);
  /// The values after all iterations, by a textbook formula.
  std::vector<double> (*answer)(const list_view& lists, const std::vector<node_number>& readers,
                                std::uint64_t iterations);
};

/// The lists of the program's graph: of input.graph if it has one, else of a generated one.
[[nodiscard]] pull_lists lists_of(const graph_program& program, const graph_size& size, const instance_input& input);

/// The program must outlive the workload.
[[nodiscard]] workload graph_workload(const graph_program& program);

/// All graph programs.
[[nodiscard]] const std::vector<const graph_program*>& graph_programs();
[[nodiscard]] const std::vector<workload>& graph_workloads();

}  // namespace nearfork::workloads

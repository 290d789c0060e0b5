// What the kernel of a graph program gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nearfork/hints.hpp>

#include "workloads/graphs/pull_lists.hpp"

namespace nearfork::workloads {

/// The nodes' records, one after the other. A record begins with two values: those of even and odd iterations; what
/// follows stands for other data of the node, and no iteration touches it.
struct node_records {
  double* begin;
  std::size_t doubles;  // of one record

  [[nodiscard]] double& value(std::size_t node, unsigned which) const noexcept { return begin[node * doubles + which]; }
};

/// What an iteration works on: the lists, the numbers of readers, and the line of each record that has its values.
[[nodiscard]] inline std::uint64_t working_bytes(const list_view& lists, std::size_t record_doubles) noexcept {
  constexpr std::size_t line_bytes = 64;
  const std::size_t used = std::min(record_doubles * sizeof(double), line_bytes);
  return lists.offsets.size_bytes() + lists.targets.size_bytes() + lists.nodes() * (sizeof(node_number) + used);
}

/// One pass over the nodes: each computes its next value from the present ones of the nodes that it reads. Nodes can be
/// computed in any order.
struct graph_sweep {
  list_view lists;
  const node_number* readers;  // by node, how many list entries name it
  node_records records;
  unsigned now = 0;  // which value is the present one; 1 - now is computed

  /// The present value of a node that is read, with a hint for recordings.
  [[nodiscard]] double read(node_number node) const noexcept {
    const double& value = records.value(node, now);
    reads(std::span(&value, 1));
    return value;
  }
  void write(std::size_t node, double next) const noexcept {
    double& value = records.value(node, 1 - now);
    writes(std::span(&value, 1));
    value = next;
  }
};

/// Computes nodes [first, last) of a sweep.
using graph_kernel = void (*)(const graph_sweep& sweep, std::size_t first, std::size_t last);

/// Hints that the lists of nodes [first, last) are read.
inline void hint_lists(const list_view& lists, std::size_t first, std::size_t last) noexcept {
  reads(lists.offsets.subspan(first, last - first + 1));
  reads(lists.targets.subspan(lists.offsets[first], lists.offsets[last] - lists.offsets[first]));
}

}  // namespace nearfork::workloads

#include "workloads/components/components.hpp"

#include <algorithm>

#include "workloads/graphs/graph_sizes.hpp"

namespace nearfork::workloads {
namespace {

double own_number(std::size_t node, node_number) {
  return static_cast<double>(node);
}

/// Pushes labels: each node lowers those that it leads to. Edges lead both ways, so that is the same.
std::vector<double> pushed_labels(const list_view& lists, const std::vector<node_number>&, std::uint64_t iterations) {
  std::vector<double> labels(lists.nodes());
  for (std::size_t node = 0; node < lists.nodes(); ++node) labels[node] = own_number(node, 0);
  std::vector<double> next = labels;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    for (std::size_t node = 0; node < lists.nodes(); ++node)
      for (const node_number other : lists.read_by(node)) next[other] = std::min(next[other], labels[node]);
    labels = next;
  }
  return labels;
}

}  // namespace

const graph_program& components_program() {
  static const graph_program program{.name = "components",
                                     .description = "connected components by lowest labels",
                                     .who_reads = read_ends::both,
                                     .values = node_values::labels,
                                     .sizes = graph_sizes({std::uint64_t{1} << 23, 20, 2048}),
                                     .compute = lower_labels,
                                     .first_value = own_number,
                                     .answer = pushed_labels};
  return program;
}

}  // namespace nearfork::workloads

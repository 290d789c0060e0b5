#include "workloads/label_propagation/label_propagation.hpp"

#include <map>

#include "workloads/graphs/graph_sizes.hpp"

namespace nearfork::workloads {
namespace {

double own_label(std::size_t node, node_number) {
  return static_cast<double>(node);
}

/// Counts the neighbours' labels in a map.
std::vector<double> counted_labels(const list_view& lists, const std::vector<node_number>&, std::uint64_t iterations) {
  std::vector<double> labels(lists.nodes());
  for (std::size_t node = 0; node < lists.nodes(); ++node) labels[node] = own_label(node, 0);
  std::vector<double> next = labels;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    for (std::size_t node = 0; node < lists.nodes(); ++node) {
      std::map<double, std::uint64_t> counts;
      for (const node_number other : lists.read_by(node)) ++counts[labels[other]];
      std::uint64_t most = 0;
      for (const auto& [label, count] : counts)
        if (count > most) {
          most = count;
          next[node] = label;
        }
    }
    labels = next;
  }
  return labels;
}

}  // namespace

const graph_program& label_propagation_program() {
  static const graph_program program{.name = "label-propagation",
                                     .description = "communities by label propagation",
                                     .who_reads = read_ends::both,
                                     .values = node_values::labels,
                                     .sizes = graph_sizes({std::uint64_t{1} << 23, 20, 2048}),
                                     .compute = propagate_labels,
                                     .first_value = own_label,
                                     .answer = counted_labels};
  return program;
}

}  // namespace nearfork::workloads

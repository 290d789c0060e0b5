#include <algorithm>
#include <vector>

#include "workloads/label_propagation/label_propagation.hpp"

namespace nearfork::workloads {
namespace {

/// The most frequent of these labels, which must be ascending; of several the lowest.
double most_frequent(const std::vector<double>& labels) {
  double found = labels.front();
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < labels.size();) {
    std::size_t end = begin + 1;
    while (end < labels.size() && labels[end] == labels[begin]) ++end;
    if (end - begin > most) {
      most = end - begin;
      found = labels[begin];
    }
    begin = end;
  }
  return found;
}

}  // namespace

void propagate_labels(const graph_sweep& sweep, std::size_t first, std::size_t last) {
  hint_lists(sweep.lists, first, last);
  std::vector<double> labels;
  for (std::size_t node = first; node < last; ++node) {
    labels.clear();
    for (const node_number other : sweep.lists.read_by(node)) labels.push_back(sweep.read(other));
    std::ranges::sort(labels);
    sweep.write(node, labels.empty() ? sweep.records.value(node, sweep.now) : most_frequent(labels));
  }
}

}  // namespace nearfork::workloads

#include <algorithm>

#include "workloads/components/components.hpp"

namespace nearfork::workloads {

void lower_labels(const graph_sweep& sweep, std::size_t first, std::size_t last) {
  hint_lists(sweep.lists, first, last);
  for (std::size_t node = first; node < last; ++node) {
    double lowest = sweep.records.value(node, sweep.now);
    for (const node_number other : sweep.lists.read_by(node)) lowest = std::min(lowest, sweep.read(other));
    sweep.write(node, lowest);
  }
}

}  // namespace nearfork::workloads

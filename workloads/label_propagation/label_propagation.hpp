// Label propagation, which finds communities, as Spark's GraphX has it: in each iteration every node takes the label
// that most of its neighbours have, along edges in both directions. Among equally frequent labels it takes the lowest.
// All nodes begin with their own number, and nodes without neighbours keep it.
#pragma once

#include "workloads/graphs/graph_program.hpp"

namespace nearfork::workloads {

void propagate_labels(const graph_sweep& sweep, std::size_t first, std::size_t last);

[[nodiscard]] const graph_program& label_propagation_program();

}  // namespace nearfork::workloads

// Connected components, as Spark's GraphX has them: in each iteration every node takes the lowest label among its own
// and its neighbours', along edges in both directions. All nodes begin with their own number. After as many iterations
// as the graph is wide, each component has the lowest number in it as its label.
#pragma once

#include "workloads/graphs/graph_program.hpp"

namespace nearfork::workloads {

void lower_labels(const graph_sweep& sweep, std::size_t first, std::size_t last);

[[nodiscard]] const graph_program& components_program();

}  // namespace nearfork::workloads

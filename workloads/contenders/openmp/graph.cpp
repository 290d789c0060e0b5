#include <algorithm>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

/// Each thread gets one contiguous part of the nodes, whatever edges these have.
void graph_omp_static(graph_instance& graph, unsigned workers) {
  constexpr std::size_t block = 64;  // so that few calls are made
  const std::size_t nodes = graph.nodes();
  graph.iterate([&](const graph_sweep& sweep) {
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
    for (std::size_t first = 0; first < nodes; first += block)
      graph.compute(sweep, first, std::min(first + block, nodes));
  });
}

void graph_omp_tasks(graph_instance& graph, unsigned workers) {
  const range_tree tree = graph.tree();
  with_omp_crew(workers, [&] {
    graph.iterate([&](const graph_sweep& sweep) {
      fork_ranges(tree, tree.root(), omp_fork{},
                  [&](std::size_t first, std::size_t last) { graph.compute(sweep, first, last); });
    });
  });
}

}  // namespace nearfork::workloads

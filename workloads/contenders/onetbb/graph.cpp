#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void graph_tbb(graph_instance& graph, unsigned workers) {
  const range_tree tree = graph.tree();
  with_tbb_crew(workers, [&] {
    graph.iterate([&](const graph_sweep& sweep) {
      fork_ranges(tree, tree.root(), tbb_fork{},
                  [&](std::size_t first, std::size_t last) { graph.compute(sweep, first, last); });
    });
  });
}

}  // namespace nearfork::workloads

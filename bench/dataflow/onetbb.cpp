// A flow graph knows edges and no data: so this makes for each task the edges that its accesses mean.
#include <oneapi/tbb/flow_graph.h>

#include <deque>

#include "bench/dataflow/sweeps.hpp"

void sweeps::solve(std::uint64_t count, std::vector<std::uint64_t>& cells) {
  using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  tbb::flow::graph graph;
  std::deque<node> nodes;
  const auto at = [&](std::uint64_t sweep, std::size_t i) -> node& { return nodes[sweep * width + i - 1]; };
  for (std::uint64_t n = 0; n < count; ++n)
    for (std::size_t i = 1; i <= width; ++i) {
      std::uint64_t* const own = &cells[i];
      node& made = nodes.emplace_back(graph, [own](tbb::flow::continue_msg) { *own = updated(*own, own[-1]); });
      if (i > 1) tbb::flow::make_edge(at(n, i - 1), made);                   // it wrote what this task reads
      if (n > 0) tbb::flow::make_edge(at(n - 1, i), made);                   // it wrote what this task updates
      if (n > 0 && i < width) tbb::flow::make_edge(at(n - 1, i + 1), made);  // it read what this task updates
    }
  nodes.front().try_put(tbb::flow::continue_msg());
  graph.wait_for_all();
}

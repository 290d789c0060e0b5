#include "workloads/pagerank/pagerank.hpp"

namespace nearfork::workloads {

void pagerank_nodes(const graph_sweep& sweep, std::size_t first, std::size_t last) {
  hint_lists(sweep.lists, first, last);
  reads(std::span(sweep.readers + first, last - first));
  for (std::size_t node = first; node < last; ++node) {
    double sum = 0;
    for (const node_number other : sweep.lists.read_by(node)) sum += sweep.read(other);
    sweep.write(node, share_of_rank(1 - pagerank_damping + pagerank_damping * sum, sweep.readers[node]));
  }
}

}  // namespace nearfork::workloads

#include "workloads/pagerank/pagerank.hpp"

#include "workloads/graphs/graph_sizes.hpp"

namespace nearfork::workloads {
namespace {

double first_share(std::size_t, node_number readers) {
  return share_of_rank(1, readers);
}

/// The formula with ranks, not shares.
std::vector<double> textbook_shares(const list_view& lists, const std::vector<node_number>& readers,
                                    std::uint64_t iterations) {
  std::vector<double> ranks(lists.nodes(), 1.0);
  std::vector<double> sums(lists.nodes());
  for (std::uint64_t i = 0; i < iterations; ++i) {
    for (std::size_t to = 0; to < lists.nodes(); ++to) {
      sums[to] = 0;
      for (const node_number from : lists.read_by(to)) sums[to] += ranks[from] / readers[from];
    }
    for (std::size_t node = 0; node < lists.nodes(); ++node)
      ranks[node] = (1 - pagerank_damping) + pagerank_damping * sums[node];
  }
  for (std::size_t node = 0; node < lists.nodes(); ++node) ranks[node] = share_of_rank(ranks[node], readers[node]);
  return ranks;
}

}  // namespace

const graph_program& pagerank_program() {
  static const graph_program program{.name = "pagerank",
                                     .description = "PageRank, pulled along edges",
                                     .who_reads = read_ends::to_reads_from,
                                     .values = node_values::shares,
                                     .sizes = graph_sizes({std::uint64_t{1} << 24, 10, 1024}),
                                     .compute = pagerank_nodes,
                                     .first_value = first_share,
                                     .answer = textbook_shares};
  return program;
}

}  // namespace nearfork::workloads

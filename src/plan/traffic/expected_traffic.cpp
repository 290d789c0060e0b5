#include "plan/traffic/expected_traffic.hpp"

#include <algorithm>

namespace nearfork {
namespace {

/// What of the share lies on nodes that are local to the domain.
double local_part(const machine& where, domain_id near, data_share share, const data_parts& placed) {
  double local = 0;
  for (std::size_t i = 0; i < placed.nodes.size(); ++i) {
    const std::vector<domain_id>& domains = where.at(placed.nodes[i]).domains;
    if (std::ranges::find(domains, near) == domains.end()) continue;
    local += std::max(0.0, std::min(share.hi, placed.borders[i + 1]) - std::max(share.lo, placed.borders[i]));
  }
  return local;
}

}  // namespace

std::vector<subtree_traffic> expected_traffic(const machine& where, const profile& measured, const packing& subtrees,
                                              const data_parts& placed) {
  std::vector<subtree_traffic> made;
  for (const tree_node root : subtrees)
    for (std::uint32_t d = 0; d < where.domains().size(); ++d) {
      const double local = local_part(where, domain_id{d}, measured.share(root), placed);
      made.push_back({.root = root,
                      .domain = static_cast<std::uint16_t>(d),
                      .local = local,
                      .remote = measured.share(root).width() - local});
    }
  return made;
}

}  // namespace nearfork

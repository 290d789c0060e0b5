// Pages that are moved from node to node.
#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

std::optional<std::uint64_t> memory_hierarchy::move_page(core_id core, std::uint64_t page, std::uint32_t node) {
  const std::uint32_t from = pages_.node_of(page);
  if (from == node) return 0;
  if (!pages_.move(page, node)) return std::nullopt;
  const core_path& path = paths_[index_of_id(core)];
  const auto& costs = path.costs[static_cast<std::size_t>(access_order::sweep)];
  const std::uint32_t lines = 1U << page_shift_;
  demand_lines(from, lines);
  demand_lines(node, lines);
  if (!links_.empty())
    for (std::uint32_t i = 0; i < lines; ++i) {
      links_.carry(seat_of_node_[from], path.seat);
      links_.carry(path.seat, seat_of_node_[node]);
    }
  return lines * (costs[static_cast<std::size_t>(access_kind::read)].memory_ps[from] +
                  costs[static_cast<std::size_t>(access_kind::write)].memory_ps[node]);
}

}  // namespace nearfork::sim

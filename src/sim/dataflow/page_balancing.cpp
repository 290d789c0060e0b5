#include "sim/dataflow/page_balancing.hpp"

#include <algorithm>

namespace nearfork::sim {

page_balancing::page_balancing(balancing_model model, pages of, std::uint64_t page_bytes, std::uint64_t move_page_ps)
    : model_(model),
      of_(of),
      round_ps_(0),
      of_page_ps_(std::max<std::uint64_t>(1, model.scan_period_ns * 1000 * page_bytes / model.scan_bytes)),
      move_page_ps_(move_page_ps),
      locked_move_ps_(model.locked_move_4k_ns * page_bytes / 4096 * 1000),
      seen_ps_(of.count, 0),
      seen_by_(of.count, page_map::nowhere) {
  round_ps_ = std::max<std::uint64_t>(1, of_page_ps_ * of.count);
}

bool page_balancing::is_marked(std::uint64_t page, std::uint64_t since_ps, std::uint64_t now_ps) const noexcept {
  const std::uint64_t first_ps = of_page_ps_ * (page + 1);
  const auto passes = [&](std::uint64_t until_ps) {
    return until_ps < first_ps ? 0 : (until_ps - first_ps) / round_ps_ + 1;
  };
  return passes(now_ps) > passes(since_ps);
}

std::uint64_t page_balancing::lock_ps(std::uint64_t now_ps, std::uint64_t held_ps) noexcept {
  free_from_ps_ = std::max(free_from_ps_, now_ps) + held_ps;
  return free_from_ps_ - now_ps;
}

std::uint64_t page_balancing::access_ps(memory_hierarchy& memory, core_id core, std::uint32_t node, std::uint64_t page,
                                        std::uint64_t now_ps) {
  if (page < of_.first || page - of_.first >= of_.count) return 0;
  const std::uint64_t i = page - of_.first;
  if (!is_marked(i, seen_ps_[i], now_ps)) return 0;
  ++faults_;
  const bool again = seen_by_[i] == node;
  seen_ps_[i] = now_ps;
  seen_by_[i] = static_cast<std::uint16_t>(node);
  std::uint64_t cost_ps = model_.fault_ns * 1000 + lock_ps(now_ps, model_.locked_fault_ns * 1000);
  const std::uint16_t lies_on = memory.pages().node_of(page);
  if (!again || lies_on == page_map::nowhere || lies_on == node) return cost_ps;
  if (const auto copied_ps = memory.move_page(core, page, node))
    cost_ps += *copied_ps + move_page_ps_ + lock_ps(now_ps, locked_move_ps_);
  return cost_ps;
}

}  // namespace nearfork::sim

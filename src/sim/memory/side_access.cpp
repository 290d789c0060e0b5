// Lines that pass a memory-side cache on their way.
//
// Its tags lie with its data, so each access reads the line's place first. A line that is found there is read in the
// cache's time. Any other line is also read from memory, after that, and then written to the cache. A line that is
// written back ends in the cache and costs no read of memory, because it is whole. A changed line that loses its place
// is written to memory.
#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

std::uint64_t memory_hierarchy::pass_side_cache(const access_costs& costs, std::uint32_t node, std::uint32_t line,
                                                access_kind kind) {
  const bool is_read = kind == access_kind::read;
  const side_caches::outcome found = side_.touch(node, line, kind);
  ++(found.hit ? counts_.side_hits : counts_.side_misses);
  demand_lines(side_queue(node), is_read && found.hit ? 1 : 2);
  const bool is_fetched = is_read && !found.hit;
  demand_lines(node, (is_fetched ? 1U : 0U) + (found.drove_out_changed ? 1U : 0U));
  if (!is_read) return costs.write_back_ps[node];
  return costs.side_ps[node] + (is_fetched ? costs.memory_ps[node] : 0);
}

void memory_hierarchy::demand_lines(std::uint32_t queue, std::uint32_t lines) {
  for (; lines > 0; --lines) demand(queue);
}

}  // namespace nearfork::sim

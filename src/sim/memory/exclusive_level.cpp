// A last level that is exclusive: it has only lines that the private caches before it evicted.
//
// A line comes from memory to the core's private caches alone. What the last private cache evicts moves into the last
// level, and out of the caches before that private cache; what the last level evicts leaves the domain. A line that is
// found in the last level leaves it for the core's private caches. So a domain has as many lines as its last private
// caches and its last level together.
//
// A line that only private caches of the domain's other cores have is read from there, in the time of the last level.
// AMD's caches also leave a copy in the last level if they think that several cores use the line; here no copy stays.
#include <algorithm>

#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

/// The line has just come to the core's private caches, of which the last one evicted `evicted` or no_line.
std::uint64_t memory_hierarchy::look_up_exclusive(core_path& path, const access_costs& costs, std::uint32_t line,
                                                  std::uint32_t evicted) {
  const std::uint32_t level = path.private_levels;
  line_record& record = directory_.at(line);
  const bool has_copies = copies_.of(line) > path.private_levels;
  const bool found =
      (record.holders() & path.holder_bit) != 0 &&
      (path.cache[level]->remove(line) || (has_copies && is_private_behind(path, line, path.cache[level - 1])));
  record.add_holder(path.holder_bit);
  note_user(record, line, path.core);
  std::uint64_t latency_ps = costs.hit_ps[level];
  if (found) ++counts_.level[level].hits;
  else {
    if (record.dirty())
      (void)write_back(costs, record, line, seat_of_holder(record.holders() & ~path.holder_bit, path));
    latency_ps = fetch(path, costs, line);
  }
  return evicted == line_cache::no_line ? latency_ps : latency_ps + move_out(path, costs, evicted);
}

/// From the core's last private cache, which has evicted the line, into the last level.
std::uint64_t memory_hierarchy::move_out(const core_path& path, const access_costs& costs, std::uint32_t evicted) {
  const line_cache* const from = path.cache[path.private_levels - 1];
  if (!copies_.none(evicted))
    for (const std::uint16_t core : holders_[path.holder].cores)
      if (paths_[core].cache[path.private_levels - 1] == from)
        remove_inside(paths_[core], evicted, copies_.of(evicted));
  line_cache& last = *path.cache[path.private_levels];
  // The last level has a line that private caches have, too, only if another core evicted it.
  const std::uint32_t out = directory_.at(evicted).has_sole_core() ? last.insert(evicted) : last.touch(evicted).evicted;
  return out == line_cache::no_line ? 0 : give_up(path, costs, out);
}

/// The domain's last level has evicted the line.
std::uint64_t memory_hierarchy::give_up(const core_path& path, const access_costs& costs, std::uint32_t line) {
  if (!copies_.none(line) && is_private_behind(path, line, nullptr)) return 0;
  line_record& record = directory_.at(line);
  const std::uint64_t latency_ps = record.dirty() ? write_back(costs, record, line, path.seat) : 0;
  leave_holder(path, record, line);
  return latency_ps;
}

/// True if the last private cache of some core of the domain has the line, `but_for` aside. It has what the caches
/// before it have.
bool memory_hierarchy::is_private_behind(const core_path& path, std::uint32_t line, const line_cache* but_for) const {
  return std::ranges::any_of(holders_[path.holder].cores, [&](std::uint16_t core) {
    const line_cache* const cache = paths_[core].cache[path.private_levels - 1];
    return cache != but_for && cache->holds(line);
  });
}

}  // namespace nearfork::sim

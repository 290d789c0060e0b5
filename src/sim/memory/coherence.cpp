// Lines leave caches because another core wrote them, or because their outermost cache evicted them. The directory and
// the list of a line's users say where to look.
#include <algorithm>
#include <bit>

#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

/// The rows of all who have used the line, if they are few.
void memory_hierarchy::prefetch_users(std::uint32_t line) const noexcept {
  if (users_.is_short(line)) users_.for_each(line, [&](std::uint32_t core) { prefetch_rows(paths_[core], line); });
}

/// Rows of the outermost cache and the last one before it: smaller ones rarely have a line still.
void memory_hierarchy::prefetch_large_rows(const core_path& path, line_run run) const noexcept {
  for (std::uint32_t i = path.private_levels > 0 ? path.private_levels - 1 : 0; i < path.levels; ++i)
    path.cache[i]->prefetch_run(run.first, run.count);
}

void memory_hierarchy::take_from_others(const core_path& path, line_before before, std::uint32_t line) {
  const line_record known = before.record;
  if (!known.has_core()) return;
  if (known.has_sole_core() && known.sole_core() == path.core) return;
  std::uint32_t copies = before.copied ? copies_beside(path, line) : 0;
  if (known.has_sole_core()) return take_from(paths_[known.sole_core()], path, line, copies);
  // Two users behind one exclusive last level would count as two holders that lost the line.
  if (!any_exclusive_ && users_.complete(line)) return take_from_users(path, known, line, copies);
  if (sets_pay_) users_.want_sets_near(line);
  for (std::uint64_t left = known.holders(); left != 0; left &= left - 1) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto last = std::min(directory_.last_of(bit), static_cast<std::uint32_t>(holders_.size()));
    for (std::uint32_t other = directory_.first_of(bit); other < last; ++other)
      take_from_holder(other, path, line, copies);
  }
}

/// From all cores of a complete list. None of them has an exclusive last level.
void memory_hierarchy::take_from_users(const core_path& path, line_record known, std::uint32_t line,
                                       std::uint32_t copies) {
  if (prefetches_ && !users_.is_short(line))
    users_.for_each(line, [&](std::uint32_t core) { prefetch_large_rows(paths_[core], {line, 1}); });
  users_.for_each(line, [&](std::uint32_t core) {
    const core_path& owner = paths_[core];
    if (core != path.core && (known.holders() & owner.holder_bit) != 0) take_from(owner, path, line, copies);
  });
}

/// From one core's caches, which at most `copies` of the private ones still have.
void memory_hierarchy::take_from(const core_path& owner, const core_path& path, std::uint32_t line,
                                 std::uint32_t& copies) {
  const std::uint32_t removed = copies > 0 ? remove_inside(owner, line, copies, &path) : 0;
  copies -= removed;
  if (owner.holder == path.holder) return;
  const bool left_last_level = holders_[owner.holder].outermost->remove(line);
  if (left_last_level || (owner.exclusive && removed > 0)) ++counts_.invalidations;
}

void memory_hierarchy::take_from_holder(std::uint32_t holder, const core_path& path, std::uint32_t line,
                                        std::uint32_t& copies) {
  const bool is_own = holder == path.holder;
  // The writer's own last level may have the line beside its private caches only if it is exclusive.
  bool lost = (!is_own || path.exclusive) && holders_[holder].outermost->remove(line);
  for (const std::uint16_t core : holders_[holder].cores) {
    if (copies == 0) break;
    if (core == path.core) continue;
    const std::uint32_t removed = remove_inside(paths_[core], line, copies, &path);
    copies -= removed;
    lost = lost || removed > 0;
  }
  if (lost && !is_own) ++counts_.invalidations;
}

/// The core's outermost cache does not have the line any more, nor has any cache before it. A set keeps its cores if
/// the directory tells by itself which holders are left: to drop them took a tenth of matmul's time.
void memory_hierarchy::leave_holder(const core_path& path, line_record& record, std::uint32_t line) {
  if (record.has_sole_core()) return record.clear();
  std::uint64_t remaining = record.holders() & ~path.holder_bit;
  const bool is_listed = users_.is_short(line) || (!directory_.exact() && users_.complete(line));
  if (is_listed) {
    remaining = 0;
    users_.drop(line, holders_[path.holder].cores);
    users_.for_each(line, [&](std::uint32_t core) { remaining |= paths_[core].holder_bit; });
  } else if (!directory_.exact()) {
    return;  // another holder may have the same bit
  }
  if (remaining == 0) return record.clear();
  if ((remaining & path.holder_bit) == 0) record.remove_holder(path.holder_bit);
}

/// Removes the line from the private caches behind the core's outermost cache.
void memory_hierarchy::remove_behind(const core_path& path, line_record record, std::uint32_t line) {
  if (record.has_sole_core()) {
    remove_inside(paths_[record.sole_core()], line, copies_.of(line));
  } else if (users_.is_short(line)) {
    users_.for_each(line, [&](std::uint32_t core) {
      if (paths_[core].holder == path.holder) remove_inside(paths_[core], line, copies_.of(line));
    });
  } else {
    const bool is_known = users_.complete(line);
    for (const std::uint16_t core : holders_[path.holder].cores) {
      if (copies_.none(line)) return;
      if (!is_known || users_.has(line, core)) remove_inside(paths_[core], line, copies_.of(line));
    }
  }
}

/// The seat of the holder that a dirty line is taken from. If a bit stands for several holders, the first of them.
std::uint32_t memory_hierarchy::seat_of_holder(std::uint64_t others, const core_path& path) const noexcept {
  const std::uint64_t bits = others == 0 ? path.holder_bit : others;
  return holders_[directory_.first_of(static_cast<std::uint32_t>(std::countr_zero(bits)))].seat;
}

/// The largest number of private caches of other cores that may hold the line.
std::uint32_t memory_hierarchy::copies_beside(const core_path& path, std::uint32_t line) const noexcept {
  std::uint32_t copies = copies_.of(line);
  for (std::uint32_t i = 0; i < path.private_levels && copies > 0; ++i)
    if (path.cache[i]->holds(line)) --copies;
  return copies;
}

/// Keeps the line in caches that `but_for` shares with `path`. `most`: the line is in no more private caches. Returns
/// how many caches had the line. The large ones first: mostly they alone have it, and no other row need be looked at.
std::uint32_t memory_hierarchy::remove_inside(const core_path& path, std::uint32_t line, std::uint32_t most,
                                              const core_path* but_for) {
  std::uint32_t removed = 0;
  for (std::uint32_t i = path.private_levels; i-- > 0 && removed < most;) {
    if (but_for != nullptr && path.cache[i] == but_for->cache[i]) continue;
    if (!path.cache[i]->remove(line)) continue;
    copies_.remove(line);
    ++removed;
  }
  return removed;
}

}  // namespace nearfork::sim

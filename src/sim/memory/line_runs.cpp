// Lines that follow each other are looked up together, one cache after the other, instead of line by line.
//
// The outcome is the same. A run is so short that its lines lie in different rows of every cache on the core's path: it
// has no more lines than the greatest common divisor of the numbers of rows. A line that one of them drives out has the
// same number as that one, but for multiples of this divisor; so it is no other line of the run, and its rows are no
// other line's rows. Nothing that is looked up or changed for one line of a run is looked at for another one; what they
// add to counts, latencies and demands are sums.
// Caches off the path may have other numbers of rows, as those of little cores have beside big ones. They only lose
// lines, and what a row keeps does not depend on the order in which it loses others. Even so a run has no more lines
// than any cache has rows: where it is taken from one, each of its lines has a row of its own.
//
// Loops that know their rows need no decision for each line, the host's processor looks up several lines at once, and
// lines with the same users are taken from them together. Three iterations of heat on 64 domains of 16 cores took 13.3
// instead of 21.7 billion instructions; twelve were simulated at 29 to 41 instead of 19 to 29 million lines a second.
#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

// --- in one cache: a loop for each kind of rows ---

template <class Entry, std::uint32_t Ways, class Act>
void line_cache::in_rows_of_ways(std::uint32_t first, line_mask which, Act& act) const noexcept {
  const std::uint32_t first_set = set_of(first);
  const std::uint32_t first_turn = turn_of(first);
  for_each_of(which, [&](std::uint32_t i) {
    const bool goes_round = first_set + i >= sets_;
    const std::uint32_t set = first_set + i - (goes_round ? sets_ : 0);
    assert(set < sets_);  // a longer run would be beyond the rows
    const auto entry =
        static_cast<Entry>(sizeof(Entry) == sizeof(wide) ? first + i + 1 : first_turn + (goes_round ? 2 : 1));
    act(i, line_row<Entry, Ways>(row_at<Entry>(set), ways_), entry, set);
  });
}

/// The numbers of ways that most caches have.
template <class Entry, class Act>
void line_cache::in_rows_of(std::uint32_t first, line_mask which, Act& act) const noexcept {
  switch (ways_) {
    case 4: return in_rows_of_ways<Entry, 4>(first, which, act);
    case 8: return in_rows_of_ways<Entry, 8>(first, which, act);
    case 12: return in_rows_of_ways<Entry, 12>(first, which, act);
    case 16: return in_rows_of_ways<Entry, 16>(first, which, act);
    default: return in_rows_of_ways<Entry, 0>(first, which, act);
  }
}

template <class Act>
void line_cache::in_rows(std::uint32_t first, line_mask which, Act&& act) const noexcept {
  if (is_narrow_) in_rows_of<narrow>(first, which, act);
  else in_rows_of<wide>(first, which, act);
}

line_mask line_cache::touch_run(std::uint32_t first, line_mask which, std::uint32_t* evicted) noexcept {
  line_mask hits = 0;
  in_rows(first, which, [&](std::uint32_t i, auto row, auto entry, std::uint32_t set) {
    const std::uint32_t place = row.position(entry);
    if (place < ways_) {
      hits |= line_mask{1} << i;
      if (place != 0) row.put_first(entry, place);
      return;
    }
    evicted[i] = line_in(row.last(), set);
    row.push(entry);
  });
  return hits;
}

void line_cache::insert_run(std::uint32_t first, line_mask which, std::uint32_t* evicted) noexcept {
  in_rows(first, which, [&](std::uint32_t i, auto row, auto entry, std::uint32_t set) {
    evicted[i] = line_in(row.last(), set);
    row.push(entry);
  });
}

line_mask line_cache::held_of_run(std::uint32_t first, line_mask which) const noexcept {
  line_mask held = 0;
  in_rows(first, which, [&](std::uint32_t i, auto row, auto entry, std::uint32_t) {
    held |= line_mask{row.position(entry) < ways_ ? 1U : 0U} << i;
  });
  return held;
}

line_mask line_cache::remove_run(std::uint32_t first, line_mask which) noexcept {
  line_mask removed = 0;
  in_rows(first, which, [&](std::uint32_t i, auto row, auto entry, std::uint32_t) {
    const std::uint32_t place = row.position(entry);
    if (place >= ways_) return;
    removed |= line_mask{1} << i;
    row.remove(place);
  });
  return removed;
}

// --- through the caches ---

void memory_hierarchy::allow_runs() noexcept {
  if (any_exclusive_) return;
  std::uint32_t fewest = most_in_run;
  for (const line_cache& one : caches_) fewest = std::min(fewest, one.sets());
  for (core_path& path : paths_) {
    std::uint32_t common = 0;
    for (std::uint32_t i = 0; i < path.levels; ++i) common = std::gcd(common, path.cache[i]->sets());
    if (common != 0) path.run_lines = std::min(common, fewest);
  }
}

std::uint64_t memory_hierarchy::touch_runs(core_path& path, const access_costs& costs, std::uint32_t first,
                                           std::uint32_t count, access_kind kind) {
  std::uint64_t latency_ps = 0;
  line_run next{first, std::min(count, path.run_lines)};
  if (prefetches_) prefetch_run(path, next, kind);
  while (next.count > 0) {
    const line_run run = next;
    count -= run.count;
    next = {run.first + run.count, std::min(count, path.run_lines)};
    if (prefetches_ && next.count > 0) prefetch_run(path, next, kind);
    if (kind == access_kind::write) latency_ps += write_run(path, costs, run);
    else latency_ps += look_up_run(path, costs, run, run.all() & ~copies_.none_of_run(run.first, run.count)).latency_ps;
  }
  return latency_ps;
}

std::uint64_t memory_hierarchy::write_run(core_path& path, const access_costs& costs, line_run run) {
  run_before before;
  for (std::uint32_t i = 0; i < run.count; ++i) before.records[i] = directory_.at(run.first + i);
  before.copied = run.all() & ~copies_.none_of_run(run.first, run.count);
  const run_toll toll = look_up_run(path, costs, run, before.copied);
  return toll.latency_ps + claim_run(path, costs, run, before, toll.missed);
}

/// `copied`: lines that are in some private caches.
memory_hierarchy::run_toll memory_hierarchy::look_up_run(core_path& path, const access_costs& costs, line_run run,
                                                         line_mask copied) {
  run_toll toll;
  line_mask old = copied;
  if (copied != 0 && path.shared_from >= path.private_levels && path.private_levels > 0 &&
      !path.cache[0]->holds(run.first))
    old &= ~used_by_others(path, run.first, copied);
  const line_mask fresh = run.all() & ~old;
  driven_out evicted;
  for (std::uint32_t level = 0; level < path.private_levels; ++level) {
    const line_mask hits = look_in_private(path, level, run.first, fresh, old, evicted);
    toll.latency_ps += static_cast<std::uint64_t>(std::popcount(hits)) * costs.hit_ps[level];
    old &= ~hits;
  }
  for_each_of(fresh, [&](std::uint32_t i) { copies_.add(run.first + i, path.private_levels); });
  toll.missed = fresh | old;
  const line_mask found = toll.missed != 0 ? look_in_outermost(path, run.first, toll.missed, evicted) : 0;
  for (std::uint32_t level = 0; level < path.private_levels; ++level)
    for_each_of(evicted.by[level], [&](std::uint32_t i) { evict_private(evicted.lines[level][i]); });
  toll.latency_ps += static_cast<std::uint64_t>(std::popcount(found)) * costs.hit_ps[path.private_levels];
  if (const line_mask missed = toll.missed & ~found; missed != 0)
    toll.latency_ps += fill_outermost(path, costs, run.first, missed, evicted.lines[path.private_levels].data());
  return toll;
}

/// Lines that are known to be in none of the core's private caches, which it shares with no core. Not to search those
/// caches for them made heat under stealing 4% faster, where most lines were last used by other cores.
line_mask memory_hierarchy::used_by_others(const core_path& path, std::uint32_t first, line_mask which) const noexcept {
  line_mask made = 0;
  for_each_of(which, [&](std::uint32_t i) {
    const line_record record = directory_.at(first + i);
    const bool is_used = record.has_sole_core() ? record.sole_core() == path.core
                                                : !users_.complete(first + i) || users_.has(first + i, path.core);
    made |= line_mask{!is_used} << i;
  });
  return made;
}

/// `fresh`: lines that are in no private cache of the core; their copies are not counted here. `old`: lines that may be
/// in this one. Returns the lines that were there.
line_mask memory_hierarchy::look_in_private(core_path& path, std::uint32_t level, std::uint32_t first, line_mask fresh,
                                            line_mask old, driven_out& evicted) {
  line_cache& cache = *path.cache[level];
  std::uint32_t* const lines = evicted.lines[level].data();
  if (fresh != 0) cache.insert_run(first, fresh, lines);
  const line_mask hits = old != 0 ? cache.touch_run(first, old, lines) : 0;
  evicted.by[level] = fresh | (old & ~hits);
  if (prefetches_) for_each_of(evicted.by[level], [&](std::uint32_t i) { copies_.prefetch(lines[i]); });
  for_each_of(old & ~hits, [&](std::uint32_t i) { copies_.add(first + i, 1); });
  counts_.level[level].hits += static_cast<std::uint64_t>(std::popcount(hits));
  if (level >= path.shared_from)
    for_each_of(hits, [&](std::uint32_t i) { note_user(directory_.at(first + i), first + i, path.core); });
  return hits;
}

/// Returns the lines that were there.
line_mask memory_hierarchy::look_in_outermost(core_path& path, std::uint32_t first, line_mask wanted,
                                              driven_out& evicted) {
  const std::uint32_t level = path.private_levels;
  std::uint32_t* const lines = evicted.lines[level].data();
  line_mask held = 0;
  for_each_of(wanted, [&](std::uint32_t i) {
    line_record& record = directory_.at(first + i);
    held |= line_mask{(record.holders() & path.holder_bit) != 0} << i;
    record.add_holder(path.holder_bit);
    note_user(record, first + i, path.core);
  });
  if (held != wanted) path.cache[level]->insert_run(first, wanted & ~held, lines);
  const line_mask hits = held != 0 ? path.cache[level]->touch_run(first, held, lines) : 0;
  counts_.level[level].hits += static_cast<std::uint64_t>(std::popcount(hits));
  if (prefetches_)
    for_each_of(wanted & ~hits, [&](std::uint32_t i) {
      if (lines[i] == line_cache::no_line) return;
      directory_.prefetch(lines[i]);
      copies_.prefetch(lines[i]);
    });
  return hits;
}

/// The outermost cache has driven out `evicted` for the missed lines. A line that another cache has changed comes from
/// there while it is written back. Memory-side caches see all reads and writes in their order.
std::uint64_t memory_hierarchy::fill_outermost(const core_path& path, const access_costs& costs, std::uint32_t first,
                                               line_mask missed, const std::uint32_t* evicted) {
  std::uint64_t latency_ps = 0;
  for_each_of(missed, [&](std::uint32_t i) {
    line_record& record = directory_.at(first + i);
    if (record.dirty())
      (void)write_back(costs, record, first + i, seat_of_holder(record.holders() & ~path.holder_bit, path));
    if (evicted[i] != line_cache::no_line) latency_ps += forget(path, costs, evicted[i]);
    if (has_side_caches_) latency_ps += fetch(path, costs, first + i);
  });
  return has_side_caches_ ? latency_ps : latency_ps + fetch_run(path, costs, first, missed);
}

/// fetch() of each line, page by page. Only without memory-side caches.
std::uint64_t memory_hierarchy::fetch_run(const core_path& path, const access_costs& costs, std::uint32_t first,
                                          line_mask missed) {
  std::uint64_t latency_ps = 0;
  while (missed != 0) {
    const std::uint32_t page = (first + static_cast<std::uint32_t>(std::countr_zero(missed))) >> page_shift_;
    const line_mask of_page = missed & first_lines(((page + 1) << page_shift_) - first);
    const auto lines = static_cast<std::uint32_t>(std::popcount(of_page));
    const std::uint32_t node = pages_.read(page, path.first_touch_node);
    heat_.add(page, lines);
    if (!links_.empty()) links_.carry(seat_of_node_[node], path.seat, lines);
    (path.local[node] != 0 ? counts_.local : counts_.remote) += lines;
    demand(node, lines);
    latency_ps += lines * costs.memory_ps[node];
    missed &= ~of_page;
  }
  return latency_ps;
}

// --- writes ---

/// claim() of each line. `missed`: lines that no private cache of the core had.
std::uint64_t memory_hierarchy::claim_run(const core_path& path, const access_costs& costs, line_run run,
                                          const run_before& before, line_mask missed) {
  line_mask wanted = 0;
  for (std::uint32_t i = 0; i < run.count; ++i)
    wanted |= line_mask{!directory_.at(run.first + i).belongs_to(path.holder_bit, path.core)} << i;
  line_mask lost = 0;
  for (line_mask left = wanted; left != 0;) {
    const line_mask some = alike(run.first, left, before);
    lost |= take_alike(path, run.first, some, before, missed);
    left &= ~some;
  }
  for_each_of(wanted, [&](std::uint32_t i) { directory_.at(run.first + i).belong_to(path.holder_bit, path.core); });
  return static_cast<std::uint64_t>(std::popcount(lost)) * costs.invalidation_ps;
}

/// The first of these lines, and those that come next and were used by the same cores.
line_mask memory_hierarchy::alike(std::uint32_t first, line_mask which, const run_before& before) const noexcept {
  const auto one = static_cast<std::uint32_t>(std::countr_zero(which));
  const line_record known = before.records[one];
  const bool is_listed = known.has_core() && !known.has_sole_core();
  line_mask made = line_mask{1} << one;
  for (std::uint32_t i = one + 1; i < most_in_run && (which >> i & 1) != 0; ++i) {
    if (before.records[i] != known || (is_listed && !users_.alike(first + one, first + i))) break;
    made |= line_mask{1} << i;
  }
  return made;
}

/// As take_from_others(), from the same cores for all lines. Returns the lines that an outermost cache lost.
line_mask memory_hierarchy::take_alike(const core_path& path, std::uint32_t first, line_mask alike,
                                       const run_before& before, line_mask missed) {
  const auto one = static_cast<std::uint32_t>(std::countr_zero(alike));
  const line_record known = before.records[one];
  if (!known.has_core()) return 0;
  if (known.has_sole_core() && known.sole_core() == path.core) return 0;
  line_mask lost = 0;
  if (!known.has_sole_core() && !users_.is_short(first + one)) {
    for_each_of(alike, [&](std::uint32_t i) {
      const std::uint64_t counted = counts_.invalidations;
      take_from_others(path, {known, (before.copied >> i & 1) != 0}, first + i);
      lost |= line_mask{counts_.invalidations != counted} << i;
    });
    return lost;
  }
  core_list owners;
  if (known.has_sole_core()) owners.add(known.sole_core());
  else
    users_.for_each(first + one, [&](std::uint32_t core) {
      if (core != path.core) owners.add(core);
    });
  copies_left copies = copies_beside(path, first, alike & before.copied, missed);
  remove_inside(path, owners, first, copies);
  for (std::uint32_t i = 0; i < owners.size; ++i) {
    const core_path& owner = paths_[owners.cores[i]];
    if (owner.holder == path.holder) continue;
    const line_mask left_last_level = holders_[owner.holder].outermost->remove_run(first, alike);
    counts_.invalidations += static_cast<std::uint64_t>(std::popcount(left_last_level));
    lost |= left_last_level;
  }
  return lost;
}

/// Of the lines of `copied`; others have none.
memory_hierarchy::copies_left memory_hierarchy::copies_beside(const core_path& path, std::uint32_t first,
                                                              line_mask copied, line_mask missed) const noexcept {
  copies_left left;
  for_each_of(copied, [&](std::uint32_t i) {
    const bool is_everywhere = (missed >> i & 1) != 0;  // in all caches of the core's own
    left.of[i] = copies_.of(first + i) - (is_everywhere ? path.private_levels : 0);
  });
  const line_mask found = copied & ~missed;
  if (found != 0)
    for (std::uint32_t level = 0; level < path.private_levels; ++level)
      for_each_of(path.cache[level]->held_of_run(first, found), [&](std::uint32_t i) { --left.of[i]; });
  for_each_of(copied, [&](std::uint32_t i) { left.some |= line_mask{left.of[i] != 0} << i; });
  return left;
}

/// From the private caches of these cores, but for those that they share with `path`. Large ones of all cores first:
/// mostly they alone have the lines, and no other row need be looked at.
void memory_hierarchy::remove_inside(const core_path& path, const core_list& owners, std::uint32_t first,
                                     copies_left& copies) {
  for (std::uint32_t inward = 1; inward < most_cache_levels && copies.some != 0; ++inward)
    for (std::uint32_t i = 0; i < owners.size && copies.some != 0; ++i) {
      const core_path& owner = paths_[owners.cores[i]];
      if (inward > owner.private_levels) continue;
      const std::uint32_t level = owner.private_levels - inward;
      if (owner.cache[level] == path.cache[level]) continue;
      for_each_of(owner.cache[level]->remove_run(first, copies.some), [&](std::uint32_t line) {
        copies_.remove(first + line);
        if (--copies.of[line] == 0) copies.some &= ~(line_mask{1} << line);
      });
    }
}

// --- what the host is asked for ahead ---

/// What a run that comes next looks at. Most runs of reads are wholly in the first cache if their first line is:
/// what is behind it is not asked for then.
void memory_hierarchy::prefetch_run(const core_path& path, line_run run, access_kind kind) const noexcept {
  path.cache[0]->prefetch_run(run.first, run.count);
  copies_.prefetch(run.first);
  copies_.prefetch(run.first + run.count - 1);
  if (kind == access_kind::read && path.private_levels > 0 && path.cache[0]->holds(run.first)) return;
  for (std::uint32_t i = 1; i < path.levels; ++i) path.cache[i]->prefetch_run(run.first, run.count);
  constexpr std::uint32_t records_in_host_line = 8;
  for (std::uint32_t i = 0; i < run.count; i += records_in_host_line) {
    directory_.prefetch(run.first + i);
    users_.prefetch(run.first + i);
  }
  if (kind == access_kind::write) prefetch_owners(path, run);
}

/// Rows of the cores that the run is taken from.
void memory_hierarchy::prefetch_owners(const core_path& path, line_run run) const noexcept {
  const auto ask = [&](std::uint32_t core) {
    if (core != path.core) prefetch_large_rows(paths_[core], run);
  };
  const line_record record = directory_.at(run.first);
  if (!record.has_core()) return;
  if (record.has_sole_core()) return ask(record.sole_core());
  if (users_.is_short(run.first)) users_.for_each(run.first, ask);
}

void memory_hierarchy::prefetch(core_id core, std::uint32_t first, std::uint32_t count,
                                access_kind kind) const noexcept {
  const core_path& path = paths_[index_of_id(core)];
  if (path.levels == 0 || count == 0) return;
  prefetch_run(path, {first, std::min(count, std::max(path.run_lines, 8U))}, kind);
}

void memory_hierarchy::prefetch_scattered(core_id core, std::uint32_t line) const noexcept {
  const core_path& path = paths_[index_of_id(core)];
  if (prefetches_) prefetch_rows(path, line);
  directory_.prefetch(line);
  copies_.prefetch(line);
  users_.prefetch(line);
}

void memory_hierarchy::prefetch_driven_out(core_id core, std::uint32_t line) const noexcept {
  prefetch_evicted(paths_[index_of_id(core)], line);
}

}  // namespace nearfork::sim

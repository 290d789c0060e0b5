// Runs of lines in one cache: a loop for each kind of rows.
#include "sim/memory/line_cache.hpp"

namespace nearfork::sim {

template <class Entry, std::uint32_t Ways, class Act>
void line_cache::in_rows_of_ways(std::uint32_t first, line_mask which, Act& act) const noexcept {
  const std::uint32_t first_set = set_of(first);
  const std::uint32_t first_turn = turn_of(first);
  for_each_of(which, [&](std::uint32_t i) {
    const bool goes_round = first_set + i >= sets_;
    const std::uint32_t set = first_set + i - (goes_round ? sets_ : 0);
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

}  // namespace nearfork::sim

// One set-associative cache of lines, least recently used out first.
//
// A set is a row of line numbers in the order of their last use (line_row.hpp). A line's position is its age; nothing
// else is kept, and a line in steady use is found at the front. A row of 16 numbers is one line of the host's cache, or
// half a line: on machines with many cores most time goes to rows that the host must fetch from its own memory.
//
// Lines that follow each other lie in rows that do. A run of them is looked up in one call, whose loop knows the kind
// of rows (cache_runs.cpp; line_runs.cpp says what that brought).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "sim/memory/line_row.hpp"

namespace nearfork::sim {

/// Of up to 64 lines that follow each other: bit i stands for the i-th.
using line_mask = std::uint64_t;
inline constexpr std::uint32_t most_in_run = 64;

/// Calls each(i) for the lines of `which`, the first one first.
template <class Each>
[[gnu::always_inline]] inline void for_each_of(line_mask which, Each&& each) {
  for (; which != 0; which &= which - 1) each(static_cast<std::uint32_t>(std::countr_zero(which)));
}
/// The first `count` lines of a run.
[[nodiscard]] constexpr line_mask first_lines(std::uint32_t count) noexcept {
  return count >= most_in_run ? ~line_mask{0} : (line_mask{1} << count) - 1;
}

class line_cache {
 public:
  static constexpr std::uint32_t no_line = 0xffffffff;

  /// Room for `lines`, in rows of `ways`; at least one row. Lines that do not fill a row are lost. Lines below
  /// `line_end` are used alone: if that leaves few enough for each row, a row takes half the host's memory.
  line_cache(std::uint64_t lines, std::uint32_t ways, std::uint64_t line_end = no_line)
      : ways_(lines < ways ? static_cast<std::uint32_t>(lines < 1 ? 1 : lines) : ways),
        sets_(static_cast<std::uint32_t>(lines / ways_ < 1 ? 1 : lines / ways_)),
        mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
        shift_(static_cast<std::uint32_t>(std::countr_zero(sets_))),
        is_narrow_(line_end / sets_ + 2 <= std::numeric_limits<narrow>::max()),
        row_bytes_((ways_ * (is_narrow_ ? narrow_bytes : wide_bytes) + 15) / 16 * 16),
        entries_(std::size_t{sets_} * row_bytes_ + host_line_bytes),
        rows_(at_host_line(entries_.data())) {}
  line_cache(line_cache&&) noexcept = default;  // rows_ points into entries_
  line_cache& operator=(line_cache&&) noexcept = default;

  struct outcome {
    bool hit;
    std::uint32_t evicted;  // no_line: none
  };

  // --- one line: any number below the constructor's line_end ---
  /// Uses `line`, which is in the cache afterwards.
  outcome touch(std::uint32_t line) noexcept {
    return in_row<outcome>(line, [&](auto row, auto wanted, std::uint32_t set) -> outcome {
      if (row.first() == wanted) return {true, no_line};
      const std::uint32_t place = row.position(wanted);
      if (place < ways_) {
        row.put_first(wanted, place);
        return {true, no_line};
      }
      const std::uint32_t evicted = line_in(row.last(), set);
      row.push(wanted);
      return {false, evicted};
    });
  }
  /// As touch(), for a line that is known not to be in the cache. Returns the evicted line, or no_line.
  std::uint32_t insert(std::uint32_t line) noexcept {
    return in_row<std::uint32_t>(line, [&](auto row, auto wanted, std::uint32_t set) {
      const std::uint32_t evicted = line_in(row.last(), set);
      row.push(wanted);
      return evicted;
    });
  }
  [[nodiscard]] bool holds(std::uint32_t line) const noexcept {
    return in_row<bool>(line, [&](auto row, auto wanted, std::uint32_t) { return row.position(wanted) < ways_; });
  }
  /// False: the line was not in the cache.
  bool remove(std::uint32_t line) noexcept {
    return in_row<bool>(line, [&](auto row, auto wanted, std::uint32_t) {
      const std::uint32_t place = row.position(wanted);
      if (place >= ways_) return false;
      row.remove(place);
      return true;
    });
  }
  /// The line that would leave the cache if `line` came to it now, or no_line.
  [[nodiscard, gnu::always_inline]] std::uint32_t last_of_row(std::uint32_t line) const noexcept {
    const std::uint32_t set = set_of(line);
    return is_narrow_ ? line_in(row_at<narrow>(set)[ways_ - 1], set) : line_in(row_at<wide>(set)[ways_ - 1], set);
  }

  // --- the lines first + i for each i of `which`; all of them lie in different rows ---
  /// touch() of each. Returns those that were in the cache. `evicted`: by i, of all others.
  line_mask touch_run(std::uint32_t first, line_mask which, std::uint32_t* evicted) noexcept;
  /// insert() of each.
  void insert_run(std::uint32_t first, line_mask which, std::uint32_t* evicted) noexcept;
  /// Those that are in the cache.
  [[nodiscard]] line_mask held_of_run(std::uint32_t first, line_mask which) const noexcept;
  /// remove() of each. Returns those that were in the cache.
  line_mask remove_run(std::uint32_t first, line_mask which) noexcept;

  /// Asks the host for the row of a line that is used soon. Any number. Always inlined: gcc 12 leaves out calls of a
  /// function that only prefetches.
  [[gnu::always_inline]] void prefetch(std::uint32_t line) const noexcept {
    __builtin_prefetch(rows_ + std::size_t{set_of(line)} * row_bytes_, 1);
  }
  /// And for those of the lines behind it, `count` in all.
  [[gnu::always_inline]] void prefetch_run(std::uint32_t first, std::uint32_t count) const noexcept {
    const std::byte* const row = rows_ + std::size_t{set_of(first)} * row_bytes_;
    const std::byte* const end = row + std::size_t{count} * row_bytes_;
    for (const std::byte* at = row; at < end; at += host_line_bytes) __builtin_prefetch(at, 1);
  }

  [[nodiscard]] std::uint32_t ways() const noexcept { return ways_; }
  [[nodiscard]] std::uint32_t sets() const noexcept { return sets_; }

 private:
  // What a row has for a line. Wide: the line's number plus 1. Narrow: its turn among the lines of its row, plus 1.
  using wide = std::uint32_t;
  using narrow = std::uint16_t;
  static constexpr std::uint32_t wide_bytes = sizeof(wide);
  static constexpr std::uint32_t narrow_bytes = sizeof(narrow);

  [[nodiscard]] std::uint32_t set_of(std::uint32_t line) const noexcept {
    return mask_ != 0 ? line & mask_ : line % sets_;
  }
  [[nodiscard]] std::uint32_t turn_of(std::uint32_t line) const noexcept {
    return mask_ != 0 ? line >> shift_ : line / sets_;
  }
  template <class Entry>
  [[nodiscard]] Entry* row_at(std::uint32_t set) const noexcept {
    return reinterpret_cast<Entry*>(rows_ + std::size_t{set} * row_bytes_);
  }

  /// Calls act(row, entry, set) with the line's row, what the row has for the line, and its number.
  template <class Result, class Act>
  [[gnu::always_inline]] Result in_row(std::uint32_t line, Act&& act) const noexcept {
    const std::uint32_t set = set_of(line);
    if (is_narrow_) {
      const auto wanted = static_cast<narrow>(turn_of(line) + 1);
      if (ways_ == 16) return act(line_row<narrow, 16>(row_at<narrow>(set), 16), wanted, set);
      return act(line_row<narrow, 0>(row_at<narrow>(set), ways_), wanted, set);
    }
    if (ways_ == 16) return act(line_row<wide, 16>(row_at<wide>(set), 16), wide{line + 1}, set);
    if (ways_ == 2) return act(line_row<wide, 2>(row_at<wide>(set), 2), wide{line + 1}, set);
    return act(line_row<wide, 0>(row_at<wide>(set), ways_), wide{line + 1}, set);
  }

  /// Calls act(i, row, entry, set) for each line of a run.
  template <class Act>
  void in_rows(std::uint32_t first, line_mask which, Act&& act) const noexcept;
  template <class Entry, class Act>
  void in_rows_of(std::uint32_t first, line_mask which, Act& act) const noexcept;
  template <class Entry, std::uint32_t Ways, class Act>
  void in_rows_of_ways(std::uint32_t first, line_mask which, Act& act) const noexcept;
  /// The line of an entry in a row; no_line if it is vacant.
  [[nodiscard]] static std::uint32_t line_in(wide entry, std::uint32_t /*set*/) noexcept { return entry - 1; }
  [[nodiscard]] std::uint32_t line_in(narrow entry, std::uint32_t set) const noexcept {
    return entry == 0 ? no_line : (entry - 1U) * sets_ + set;
  }

  /// So that rows of 16 are one line of the host's cache each, or half a line, not parts of two. With a thousand caches
  /// most rows are not in the host's cache.
  static constexpr std::size_t host_line_bytes = 64;
  [[nodiscard]] static std::byte* at_host_line(std::byte* first) noexcept {
    const std::uintptr_t into = reinterpret_cast<std::uintptr_t>(first) % host_line_bytes;
    return into == 0 ? first : first + (host_line_bytes - into);
  }

  std::uint32_t ways_;
  std::uint32_t sets_;
  std::uint32_t mask_;   // 0: the number of sets is no power of two, or 1
  std::uint32_t shift_;  // if it is one
  bool is_narrow_;
  std::uint32_t row_bytes_;
  std::vector<std::byte> entries_;
  std::byte* rows_;  // within entries_, from a line of the host's cache on
};

}  // namespace nearfork::sim

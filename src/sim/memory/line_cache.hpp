// One set-associative cache of lines, least recently used out first.
//
// A set is a row of line numbers in the order of their last use (line_row). A line's position is its age; nothing
// else is kept, and a line in steady use is found at the front. A row of 16 numbers is one line of the host's cache, or
// half a line: on machines with many cores most time goes to rows that the host must fetch from its own memory.
//
// Lines that follow each other lie in rows that do. A run of them is looked up in one call, whose loop knows the kind
// of rows (line_runs.cpp).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace nearfork::sim {

// What a cache does with one of its rows: entries in the order of their last use, compared and moved sixteen bytes at a
// time, in the vector extension of gcc and clang. Neither compiler makes vector instructions of the plain loops for
// baseline x86-64, and comparing and moving rows is most of what a simulation does.
//
// A row has as many entries as its cache has ways, and then vacant ones up to a multiple of sixteen bytes.

/// `Ways`: of all rows; 0: known only where the row is made.
template <class Entry, std::uint32_t Ways>
class line_row {
  static_assert((sizeof(Entry) == 2 || sizeof(Entry) == 4) && Ways <= 16);

 public:
  static constexpr std::uint32_t lanes = 16 / sizeof(Entry);  // entries in sixteen bytes
  static constexpr Entry vacant = 0;

  line_row(Entry* first, std::uint32_t ways) noexcept : first_(first), ways_(Ways != 0 ? Ways : ways) {}

  [[nodiscard]] Entry first() const noexcept { return *first_; }
  [[nodiscard]] Entry last() const noexcept { return first_[ways() - 1]; }

  /// The place of `wanted`, which is not vacant; ways() or more: it is not in the row.
  [[nodiscard]] std::uint32_t position(Entry wanted) const noexcept {
    if constexpr (Ways == 2) {
      return first_[0] == wanted ? 0 : first_[1] == wanted ? 1 : 2;
    } else if constexpr (Ways != 0) {
      const std::uint32_t found = places<(Ways + lanes - 1) / lanes>(first_, wanted);
      return found == 0 ? Ways : static_cast<std::uint32_t>(std::countr_zero(found));
    } else {
      std::uint32_t from = 0;
      for (; from + 16 <= ways_; from += 16)
        if (const std::uint32_t found = places<16 / lanes>(first_ + from, wanted); found != 0)
          return from + static_cast<std::uint32_t>(std::countr_zero(found));
      for (; from < ways_; from += lanes)
        if (const std::uint32_t found = places<1>(first_ + from, wanted); found != 0)
          return from + static_cast<std::uint32_t>(std::countr_zero(found));
      return ways_;
    }
  }
  /// Moves the entries before `place`, which is one of the row, one place back, and puts `wanted` first.
  void put_first(Entry wanted, std::uint32_t place) noexcept {
    if constexpr (Ways == 2) {
      if (place != 0) first_[1] = first_[0];
      first_[0] = wanted;
      return;
    }
    if constexpr (Ways == 0)
      if (place >= long_move) {
        std::memmove(first_ + 1, first_, place * sizeof *first_);
        first_[0] = wanted;
        return;
      }
    for (std::uint32_t from = place / lanes * lanes; from != 0; from -= lanes) {
      const entries moved = entries_at(first_ + from - 1);
      put(first_ + from, from + lanes <= place ? moved : until(place - from, moved, entries_at(first_ + from)));
    }
    const entries were = entries_at(first_);
    entries moved = one_back(were);
    moved[0] = wanted;
    put(first_, lanes <= place ? moved : until(place, moved, were));
  }
  /// As put_first() with the last place, whose entry is lost.
  void push(Entry wanted) noexcept { put_first(wanted, ways() - 1); }
  /// Moves the entries behind `place` one place forward, over the one there.
  void remove(std::uint32_t place) noexcept {
    if constexpr (Ways == 2) {
      if (place == 0) first_[0] = first_[1];
      first_[1] = vacant;
      return;
    }
    if constexpr (Ways == 0)
      if (ways_ - place > long_move) {
        std::memmove(first_ + place, first_ + place + 1, (ways_ - 1 - place) * sizeof *first_);
        first_[ways_ - 1] = vacant;
        return;
      }
    for (std::uint32_t from = place / lanes * lanes; from < ways(); from += lanes) {
      const entries were = entries_at(first_ + from);
      const entries moved = from + lanes < ways() ? entries_at(first_ + from + 1) : one_forward(were);
      put(first_ + from, from >= place ? moved : until(place - from - 1, were, moved));
    }
  }

 private:
  /// So many entries are moved by memmove, which is called, in last levels of 48 ways and more.
  static constexpr std::uint32_t long_move = 16;

  using entries [[gnu::vector_size(16)]] = Entry;
  using number = std::conditional_t<sizeof(Entry) == 2, std::int16_t, std::int32_t>;
  using whole [[gnu::vector_size(16)]] = number;
  using halves [[gnu::vector_size(16)]] = std::uint64_t;

  [[nodiscard]] std::uint32_t ways() const noexcept { return Ways != 0 ? Ways : ways_; }

  [[nodiscard]] static entries entries_at(const Entry* from) noexcept {
    entries some;
    std::memcpy(&some, from, sizeof some);
    return some;
  }
  static void put(Entry* to, entries some) noexcept { std::memcpy(to, &some, sizeof some); }

  [[nodiscard]] static whole numbers() noexcept {
    if constexpr (sizeof(Entry) == 2) return whole{0, 1, 2, 3, 4, 5, 6, 7};
    else return whole{0, 1, 2, 3};
  }
  // Shuffled with a vector of zeros, which both compilers make one shift of.
  [[nodiscard]] static entries one_back(entries of) noexcept {
    if constexpr (sizeof(Entry) == 2) return shuffled<8, 0, 1, 2, 3, 4, 5, 6>(of);
    else return shuffled<4, 0, 1, 2>(of);
  }
  [[nodiscard]] static entries one_forward(entries of) noexcept {
    if constexpr (sizeof(Entry) == 2) return shuffled<1, 2, 3, 4, 5, 6, 7, 8>(of);
    else return shuffled<1, 2, 3, 4>(of);
  }
  /// The entries of these numbers; those behind the last one are 0.
  template <int... Places>
  [[nodiscard]] static entries shuffled(entries of) noexcept {
    const entries zero{};
#ifdef __clang__
    return __builtin_shufflevector(of, zero, Places...);
#else
    return __builtin_shuffle(of, zero, entries{Places...});  // gcc 11 has not the other one
#endif
  }
  /// The entries of `one` up to `place`, those of `other` behind it.
  [[nodiscard]] static entries until(std::uint32_t place, entries one, entries other) noexcept {
    const whole behind = numbers() > static_cast<number>(place);
    const auto mask = reinterpret_cast<entries>(behind);
    return (one & ~mask) | (other & mask);
  }

  /// A bit for each entry of `Vectors` times sixteen bytes that is `wanted`, the first one lowest.
  template <std::uint32_t Vectors>
  [[nodiscard]] static std::uint32_t places(const Entry* from, Entry wanted) noexcept {
    entries bits = numbers_as_bits();
    entries found = reinterpret_cast<entries>(entries_at(from) == wanted) & bits;
    for (std::uint32_t i = 1; i < Vectors; ++i) {
      bits <<= lanes;
      found |= reinterpret_cast<entries>(entries_at(from + i * lanes) == wanted) & bits;
    }
    const auto half = reinterpret_cast<halves>(found);
    std::uint64_t both = half[0] | half[1];
    both |= both >> 32;
    if constexpr (sizeof(Entry) == 2) both |= both >> 16;
    return static_cast<std::uint32_t>(both & 0xffff);
  }
  [[nodiscard]] static entries numbers_as_bits() noexcept {
    if constexpr (sizeof(Entry) == 2) return entries{1, 2, 4, 8, 16, 32, 64, 128};
    else return entries{1, 2, 4, 8};
  }

  Entry* first_;
  std::uint32_t ways_;
};

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
      if (ways_ == 8) return act(line_row<narrow, 8>(row_at<narrow>(set), 8), wanted, set);
      return act(line_row<narrow, 0>(row_at<narrow>(set), ways_), wanted, set);
    }
    if (ways_ == 16) return act(line_row<wide, 16>(row_at<wide>(set), 16), wide{line + 1}, set);
    if (ways_ == 8) return act(line_row<wide, 8>(row_at<wide>(set), 8), wide{line + 1}, set);
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

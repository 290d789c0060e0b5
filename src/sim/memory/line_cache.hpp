// One set-associative cache of lines, least recently used out first.
//
// A set is a row of line numbers in the order of their last use. A line's position is its age, so nothing else is kept,
// and a line in steady use is found at the front. A row of 16 numbers is one line of the host's cache, or half a line:
// on machines with many cores most time goes to rows that the host must fetch from its own memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace nearfork::sim {

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
        entries_(std::size_t{sets_} * ways_ * (is_narrow_ ? sizeof(narrow) : sizeof(wide)) + host_line_bytes),
        rows_(at_host_line(entries_.data())) {}
  line_cache(line_cache&&) noexcept = default;  // rows_ points into entries_
  line_cache& operator=(line_cache&&) noexcept = default;

  struct outcome {
    bool hit;
    std::uint32_t evicted;  // no_line: none
  };

  /// Uses `line`, which is in the cache afterwards. Any number below the constructor's line_end.
  outcome touch(std::uint32_t line) noexcept {
    return in_row(line, [&](auto* row, auto wanted) -> outcome {
      if (row[0] == wanted) return {true, no_line};
      const std::uint32_t found = position(row, wanted);
      if (found == ways_) return {false, put_first(row, wanted, line)};
      move_back(row, found);
      row[0] = wanted;
      return {true, no_line};
    });
  }

  /// As touch(), for a line that is known not to be in the cache. Returns the evicted line, or no_line.
  std::uint32_t insert(std::uint32_t line) noexcept {
    return in_row(line, [&](auto* row, auto wanted) { return put_first(row, wanted, line); });
  }

  [[nodiscard]] bool holds(std::uint32_t line) const noexcept {
    return in_row(line,
                  [&](const auto* row, auto wanted) { return row[0] == wanted || position(row, wanted) != ways_; });
  }

  /// False: the line was not in the cache.
  bool remove(std::uint32_t line) noexcept {
    return in_row(line, [&](auto* row, auto wanted) {
      const std::uint32_t way = position(row, wanted);
      if (way == ways_) return false;
      std::memmove(row + way, row + way + 1, (ways_ - 1 - way) * sizeof *row);
      row[ways_ - 1] = vacant;
      return true;
    });
  }

  /// Asks the host for the row of a line that is used soon. Any number. Always inlined: gcc 12 leaves out calls of a
  /// function that only prefetches.
  [[gnu::always_inline]] void prefetch(std::uint32_t line) const noexcept {
    const std::size_t begin = begin_of(set_of(line));
    __builtin_prefetch(rows_ + begin * (is_narrow_ ? sizeof(narrow) : sizeof(wide)), 1);
  }
  /// The line that would leave the cache if `line` came to it now, or no_line.
  [[nodiscard]] std::uint32_t last_of_row(std::uint32_t line) const noexcept {
    return in_row(line, [&](const auto* row, auto) { return line_of(row[ways_ - 1], line); });
  }

  [[nodiscard]] std::uint32_t ways() const noexcept { return ways_; }
  [[nodiscard]] std::uint32_t sets() const noexcept { return sets_; }

 private:
  // What a row has for a line. Wide: the line's number plus 1. Narrow: its turn among the lines of its row, plus 1.
  using wide = std::uint32_t;
  using narrow = std::uint16_t;
  static constexpr wide vacant = 0;

  [[nodiscard]] std::uint32_t set_of(std::uint32_t line) const noexcept {
    return mask_ != 0 ? line & mask_ : line % sets_;
  }
  [[nodiscard]] std::size_t begin_of(std::uint32_t set) const noexcept { return std::size_t{set} * ways_; }
  template <class Entry>
  [[nodiscard]] Entry* row_at(std::uint32_t set) const noexcept {
    return reinterpret_cast<Entry*>(rows_) + begin_of(set);
  }

  /// Calls act(row, entry) with the line's row and what the row has for the line.
  template <class Act>
  [[gnu::always_inline]] std::invoke_result_t<Act, wide*, wide> in_row(std::uint32_t line, Act&& act) const noexcept {
    const std::uint32_t set = set_of(line);
    if (!is_narrow_) return act(row_at<wide>(set), wide{line + 1});
    const std::uint32_t turn = mask_ != 0 ? line >> shift_ : line / sets_;
    return act(row_at<narrow>(set), static_cast<narrow>(turn + 1));
  }
  /// The line of an entry in the row of `line`; no_line if it is vacant.
  [[nodiscard]] static std::uint32_t line_of(wide entry, std::uint32_t /*line*/) noexcept { return entry - 1; }
  [[nodiscard]] std::uint32_t line_of(narrow entry, std::uint32_t line) const noexcept {
    return entry == vacant ? no_line : (entry - 1U) * sets_ + set_of(line);
  }

  /// So that rows of 16 are one line of the host's cache each, or half a line, not parts of two. With a thousand caches
  /// most rows are not in the host's cache.
  static constexpr std::size_t host_line_bytes = 64;
  [[nodiscard]] static std::byte* at_host_line(std::byte* first) noexcept {
    const std::uintptr_t into = reinterpret_cast<std::uintptr_t>(first) % host_line_bytes;
    return into == 0 ? first : first + (host_line_bytes - into);
  }

  /// Sixteen bytes of a row at once, in the vector extension of gcc and clang. Neither compiler makes vector
  /// instructions of the plain loop for baseline x86-64, and comparing rows is most of what a simulation does.
  using lanes [[gnu::vector_size(16)]] = wide;
  using narrow_lanes [[gnu::vector_size(16)]] = narrow;
  using two_lanes [[gnu::vector_size(16)]] = std::uint64_t;

  [[nodiscard]] static lanes lanes_at(const wide* ways) noexcept {
    lanes numbers;
    std::memcpy(&numbers, ways, sizeof numbers);
    return numbers;
  }
  [[nodiscard]] static narrow_lanes lanes_at(const narrow* ways) noexcept {
    narrow_lanes numbers;
    std::memcpy(&numbers, ways, sizeof numbers);
    return numbers;
  }

  [[nodiscard]] static lanes matches(const wide* four, wide wanted, wide place_bit) noexcept {
    const lanes all_wanted{wanted, wanted, wanted, wanted};
    const lanes place_bits{place_bit, place_bit << 1, place_bit << 2, place_bit << 3};
    return reinterpret_cast<lanes>(lanes_at(four) == all_wanted) & place_bits;
  }
  [[nodiscard]] static narrow_lanes matches(const narrow* eight, narrow wanted, narrow_lanes place_bits) noexcept {
    const narrow_lanes all_wanted{wanted, wanted, wanted, wanted, wanted, wanted, wanted, wanted};
    return reinterpret_cast<narrow_lanes>(lanes_at(eight) == all_wanted) & place_bits;
  }

  static constexpr std::uint32_t at_once = 16;  // ways that are compared together

  /// A bit for each of 16 ways that has `wanted`, the first one lowest.
  [[nodiscard]] static std::uint32_t places(const wide* ways, wide wanted) noexcept {
    const lanes found = (matches(ways, wanted, 1) | matches(ways + 4, wanted, 1 << 4)) |
                        (matches(ways + 8, wanted, 1 << 8) | matches(ways + 12, wanted, 1 << 12));
    const auto halves = reinterpret_cast<two_lanes>(found);
    const std::uint64_t both = halves[0] | halves[1];
    return static_cast<std::uint32_t>(both | both >> 32);
  }
  [[nodiscard]] static std::uint32_t places(const narrow* ways, narrow wanted) noexcept {
    constexpr narrow_lanes first{1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7};
    constexpr narrow_lanes second{1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    const auto halves = reinterpret_cast<two_lanes>(matches(ways, wanted, first) | matches(ways + 8, wanted, second));
    const std::uint64_t both = halves[0] | halves[1];
    const std::uint64_t two = both | both >> 32;
    return static_cast<std::uint32_t>((two | two >> 16) & 0xffff);
  }

  /// The position of `wanted` in the row; ways_: not found.
  template <class Entry>
  [[nodiscard]] std::uint32_t position(const Entry* row, Entry wanted) const noexcept {
    if (ways_ % at_once != 0) return static_cast<std::uint32_t>(std::find(row, row + ways_, wanted) - row);
    for (std::uint32_t from = 0; from < ways_; from += at_once)
      if (const std::uint32_t found = places(row + from, wanted); found != 0)
        return from + static_cast<std::uint32_t>(std::countr_zero(found));
    return ways_;
  }

  /// Moves all lines one place back. Returns the line that falls out, or no_line.
  template <class Entry>
  std::uint32_t put_first(Entry* row, Entry wanted, std::uint32_t line) noexcept {
    const Entry evicted = row[ways_ - 1];
    if (ways_ == at_once) move_sixteen_back(row);
    else move_back(row, ways_ - 1);
    row[0] = wanted;
    return line_of(evicted, line);
  }

  /// Moves all lines but the last of 16. A call of memmove took a tenth of the time of a simulated sweep through
  /// memory.
  static void move_sixteen_back(wide* row) noexcept {
    const lanes first = lanes_at(row);
    const lanes second = lanes_at(row + 4);
    const lanes third = lanes_at(row + 8);
    const lanes last = lanes_at(row + 11);
    std::memcpy(row + 1, &first, sizeof first);
    std::memcpy(row + 5, &second, sizeof second);
    std::memcpy(row + 9, &third, sizeof third);
    std::memcpy(row + 12, &last, sizeof last);
  }
  static void move_sixteen_back(narrow* row) noexcept {
    const narrow_lanes first = lanes_at(row);
    const narrow_lanes last = lanes_at(row + 7);
    std::memcpy(row + 1, &first, sizeof first);
    std::memcpy(row + 8, &last, sizeof last);
  }

  /// Moves the first `count` lines one place back, sixteen bytes at a time.
  template <class Entry>
  static void move_back(Entry* row, std::uint32_t count) noexcept {
    constexpr std::uint32_t step = 16 / sizeof(Entry);
    for (; count >= step; count -= step) {
      const auto some = lanes_at(row + count - step);
      std::memcpy(row + count - step + 1, &some, sizeof some);
    }
    for (; count > 0; --count) row[count] = row[count - 1];
  }

  std::uint32_t ways_;
  std::uint32_t sets_;
  std::uint32_t mask_;   // 0: the number of sets is no power of two, or 1
  std::uint32_t shift_;  // if it is one
  bool is_narrow_;
  std::vector<std::byte> entries_;
  std::byte* rows_;  // within entries_, from a line of the host's cache on
};

}  // namespace nearfork::sim

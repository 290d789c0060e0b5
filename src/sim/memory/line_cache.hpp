// One set-associative cache of lines, least recently used out first.
//
// A set is a row of line numbers in the order of their last use. A line's position is its age, so nothing else is kept,
// and a line in steady use is found at the front. A row of 16 numbers is one line of the host's cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace nearfork::sim {

class line_cache {
 public:
  /// Room for `lines`, in rows of `ways`; at least one row. Lines that do not fill a row are lost.
  line_cache(std::uint64_t lines, std::uint32_t ways)
      : ways_(lines < ways ? static_cast<std::uint32_t>(lines < 1 ? 1 : lines) : ways),
        sets_(static_cast<std::uint32_t>(lines / ways_ < 1 ? 1 : lines / ways_)),
        mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
        entries_(std::size_t{sets_} * ways_ + host_line_entries, vacant),
        rows_(at_host_line(entries_.data())) {}
  line_cache(line_cache&&) noexcept = default;  // rows_ points into entries_
  line_cache& operator=(line_cache&&) noexcept = default;

  struct outcome {
    bool hit;
    std::uint32_t evicted;  // no_line: none
  };
  static constexpr std::uint32_t no_line = 0xffffffff;

  /// Uses `line`, which is in the cache afterwards. Any number except no_line.
  outcome touch(std::uint32_t line) noexcept {
    const std::uint32_t wanted = line + 1;
    std::uint32_t* const row = row_of(line);
    if (row[0] == wanted) return {true, no_line};
    const std::uint32_t found = position(row, wanted);
    if (found < ways_) {
      move_back(row, found);
      row[0] = wanted;
      return {true, no_line};
    }
    return {false, put_first(row, wanted)};
  }

  /// As touch(), for a line that is known not to be in the cache. Returns the evicted line, or no_line.
  std::uint32_t insert(std::uint32_t line) noexcept { return put_first(row_of(line), line + 1); }

  [[nodiscard]] bool holds(std::uint32_t line) const noexcept {
    const std::uint32_t* const row = row_of(line);
    return row[0] == line + 1 || position(row, line + 1) != ways_;
  }

  /// False: the line was not in the cache.
  bool remove(std::uint32_t line) noexcept {
    std::uint32_t* const row = row_of(line);
    std::uint32_t way = position(row, line + 1);
    if (way == ways_) return false;
    std::memmove(row + way, row + way + 1, (ways_ - 1 - way) * sizeof *row);
    row[ways_ - 1] = vacant;
    return true;
  }

  /// Asks the host for the row of a line that is used soon. Any number. Always inlined: gcc 12 leaves out calls of a
  /// function that only prefetches.
  [[gnu::always_inline]] void prefetch(std::uint32_t line) const noexcept { __builtin_prefetch(row_of(line), 1); }

  /// The line that would leave the cache if `line` came to it now, or no_line.
  [[nodiscard]] std::uint32_t last_of_row(std::uint32_t line) const noexcept { return row_of(line)[ways_ - 1] - 1; }

  [[nodiscard]] std::uint32_t ways() const noexcept { return ways_; }
  [[nodiscard]] std::uint32_t sets() const noexcept { return sets_; }

 private:
  static constexpr std::uint32_t vacant = 0;  // other entries are line + 1

  [[nodiscard]] std::size_t begin_of(std::uint32_t line) const noexcept {
    const std::uint32_t set = mask_ != 0 ? line & mask_ : line % sets_;
    return std::size_t{set} * ways_;
  }
  [[nodiscard]] std::uint32_t* row_of(std::uint32_t line) noexcept { return rows_ + begin_of(line); }
  [[nodiscard]] const std::uint32_t* row_of(std::uint32_t line) const noexcept { return rows_ + begin_of(line); }

  /// So that rows of 16 are one line of the host's cache each, not parts of two. With a thousand caches most rows are
  /// not in the host's cache.
  static constexpr std::size_t host_line_entries = 16;
  [[nodiscard]] static std::uint32_t* at_host_line(std::uint32_t* first) noexcept {
    constexpr std::uintptr_t line = host_line_entries * sizeof *first;
    const std::uintptr_t into = reinterpret_cast<std::uintptr_t>(first) % line;
    return into == 0 ? first : first + (line - into) / sizeof *first;
  }

  static constexpr std::uint32_t at_once = 16;  // ways that are compared together

  /// Four numbers at once, in the vector extension of gcc and clang. Neither compiler makes vector instructions of the
  /// plain loop for baseline x86-64, and comparing rows is most of what a simulation does.
  using lanes [[gnu::vector_size(16)]] = std::uint32_t;
  using two_lanes [[gnu::vector_size(16)]] = std::uint64_t;

  [[nodiscard]] static lanes four_at(const std::uint32_t* ways) noexcept {
    lanes numbers;
    std::memcpy(&numbers, ways, sizeof numbers);
    return numbers;
  }

  [[nodiscard]] static lanes matches(const std::uint32_t* four, std::uint32_t wanted,
                                     std::uint32_t place_bit) noexcept {
    const lanes all_wanted{wanted, wanted, wanted, wanted};
    const lanes place_bits{place_bit, place_bit << 1, place_bit << 2, place_bit << 3};
    return reinterpret_cast<lanes>(four_at(four) == all_wanted) & place_bits;
  }

  /// The position of `wanted` in the row; ways_: not found.
  [[nodiscard]] std::uint32_t position(const std::uint32_t* row, std::uint32_t wanted) const noexcept {
    if (ways_ % at_once != 0) return static_cast<std::uint32_t>(std::find(row, row + ways_, wanted) - row);
    for (std::uint32_t from = 0; from < ways_; from += at_once) {
      const std::uint32_t* const ways = row + from;
      const lanes found = (matches(ways, wanted, 1) | matches(ways + 4, wanted, 1 << 4)) |
                          (matches(ways + 8, wanted, 1 << 8) | matches(ways + 12, wanted, 1 << 12));
      const auto halves = reinterpret_cast<two_lanes>(found);
      const std::uint64_t both = halves[0] | halves[1];
      const auto places = static_cast<std::uint32_t>(both | both >> 32);
      if (places != 0) return from + static_cast<std::uint32_t>(std::countr_zero(places));
    }
    return ways_;
  }

  /// Moves all lines one place back. Returns the line that falls out, or no_line.
  std::uint32_t put_first(std::uint32_t* row, std::uint32_t wanted) noexcept {
    const std::uint32_t evicted = row[ways_ - 1];
    if (ways_ == at_once) move_sixteen_back(row);
    else move_back(row, ways_ - 1);
    row[0] = wanted;
    return evicted - 1;
  }

  /// Moves all lines but the last of 16. A call of memmove took a tenth of the time of a simulated sweep through
  /// memory.
  static void move_sixteen_back(std::uint32_t* row) noexcept {
    const lanes first = four_at(row);
    const lanes second = four_at(row + 4);
    const lanes third = four_at(row + 8);
    const lanes last = four_at(row + 11);
    std::memcpy(row + 1, &first, sizeof first);
    std::memcpy(row + 5, &second, sizeof second);
    std::memcpy(row + 9, &third, sizeof third);
    std::memcpy(row + 12, &last, sizeof last);
  }

  /// Moves the first `count` lines one place back, four at a time.
  static void move_back(std::uint32_t* row, std::uint32_t count) noexcept {
    for (; count >= 4; count -= 4) {
      const lanes four = four_at(row + count - 4);
      std::memcpy(row + count - 3, &four, sizeof four);
    }
    for (; count > 0; --count) row[count] = row[count - 1];
  }

  std::uint32_t ways_;
  std::uint32_t sets_;
  std::uint32_t mask_;
  std::vector<std::uint32_t> entries_;
  std::uint32_t* rows_;  // within entries_, from a line of the host's cache on
};

}  // namespace nearfork::sim

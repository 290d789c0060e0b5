// One set-associative cache of lines, least recently used out first.
//
// A set is a row of line numbers in the order of their last use: where a line stands is its age, so nothing else need
// be kept. One pass over the row both looks for the line and moves those before it one place back; a line in steady use
// is found at the front. Rows of 16 numbers are one line of the host's cache.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace nearfork::sim {

class line_cache {
 public:
  /// Room for `lines`, in rows of `ways`; at least one row. Lines that fill no row are lost.
  line_cache(std::uint64_t lines, std::uint32_t ways)
      : ways_(lines < ways ? static_cast<std::uint32_t>(lines < 1 ? 1 : lines) : ways),
        sets_(static_cast<std::uint32_t>(lines / ways_ < 1 ? 1 : lines / ways_)),
        mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
        rows_(std::size_t{sets_} * ways_, vacant) {}

  struct outcome {
    bool hit;
    std::uint32_t evicted;  // or no_line
  };
  static constexpr std::uint32_t no_line = 0xffffffff;

  /// Uses `line`, which is in the cache afterwards. Any number but no_line.
  outcome touch(std::uint32_t line) noexcept {
    const std::uint32_t wanted = line + 1;
    std::uint32_t* const row = row_of(line);
    std::uint32_t carried = wanted;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      std::swap(carried, row[way]);
      if (carried == wanted) return {true, no_line};
    }
    return {false, carried - 1};
  }

  /// False: it was not there.
  bool remove(std::uint32_t line) noexcept {
    std::uint32_t* const row = row_of(line);
    for (std::uint32_t way = 0; way < ways_; ++way) {
      if (row[way] != line + 1) continue;
      for (; way + 1 < ways_; ++way) row[way] = row[way + 1];
      row[ways_ - 1] = vacant;
      return true;
    }
    return false;
  }

  [[nodiscard]] std::uint32_t ways() const noexcept { return ways_; }
  [[nodiscard]] std::uint32_t sets() const noexcept { return sets_; }

 private:
  static constexpr std::uint32_t vacant = 0;  // others: line + 1

  [[nodiscard]] std::uint32_t* row_of(std::uint32_t line) noexcept {
    const std::uint32_t set = mask_ != 0 ? line & mask_ : line % sets_;
    return rows_.data() + std::size_t{set} * ways_;
  }

  std::uint32_t ways_;
  std::uint32_t sets_;
  std::uint32_t mask_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace nearfork::sim

// How many private caches hold each line. Private are the caches before the outermost ones, of all cores.
//
// Most lines that a core accesses are in none of them, and most lines that an outermost cache evicts are in none any
// more. Then no row need be searched that cannot have the line. For heat of 16 MiB, where writes take lines from many
// cores, this gave 33 instead of 19 million lines a second. The count takes two bytes per line; one byte was no faster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nearfork::sim {

class copy_counts {
 public:
  explicit copy_counts(std::uint64_t lines) : of_line_(lines) {}

  /// The result of of() for lines that were once in more caches than can be counted: more than there can be.
  static constexpr std::uint32_t uncounted = 0xffffffff;

  [[nodiscard]] bool none(std::uint32_t line) const noexcept { return of_line_[line] == 0; }
  [[nodiscard]] std::uint32_t of(std::uint32_t line) const noexcept {
    return of_line_[line] == full ? uncounted : of_line_[line];
  }

  /// Those of `count` lines, at most 64, that are in no cache: a bit for each, the first one lowest.
  [[nodiscard]] std::uint64_t none_of_run(std::uint32_t first, std::uint32_t count) const noexcept {
    const std::uint16_t* const from = of_line_.data() + first;
    std::uint64_t made = 0;
    for (std::uint32_t i = 0; i < count; ++i) made |= std::uint64_t{from[i] == 0} << i;
    return made;
  }

  /// Asks the host for the count of a line that is used soon, and those after it. Any number.
  [[gnu::always_inline]] void prefetch(std::uint32_t line) const noexcept {
    __builtin_prefetch(of_line_.data() + line, 1);
  }
  void add(std::uint32_t line, std::uint32_t copies) noexcept {
    of_line_[line] = static_cast<std::uint16_t>(std::min<std::uint32_t>(of_line_[line] + copies, full));
  }
  void remove(std::uint32_t line) noexcept {
    if (of_line_[line] != full) --of_line_[line];
  }

 private:
  static constexpr std::uint16_t full = 0xffff;
  std::vector<std::uint16_t> of_line_;
};

}  // namespace nearfork::sim

// In how many private caches each line is: those before the outermost ones, of all cores.
//
// Most lines that a core comes to are in none of them, and most lines that an outermost cache evicts are in none any more:
// then nobody need look through rows that cannot have the line. That took heat of 16 MiB, where writes take lines from many cores,
// from 19 to 33 million lines a second. Two bytes for each line; one was no faster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nearfork::sim {

class copy_counts {
 public:
  explicit copy_counts(std::uint64_t lines) : of_line_(lines) {}

  /// What of() says of lines that were once in more caches than can be counted: more than there can be.
  static constexpr std::uint32_t uncounted = 0xffffffff;

  [[nodiscard]] bool none(std::uint32_t line) const noexcept { return of_line_[line] == 0; }
  [[nodiscard]] std::uint32_t of(std::uint32_t line) const noexcept {
    return of_line_[line] == full ? uncounted : of_line_[line];
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

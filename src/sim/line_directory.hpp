// Who holds each line of the data space: which outermost caches, and whether one core alone has it in front of its own.
#pragma once

#include <cstdint>
#include <vector>

namespace nearfork::sim {

/// Cores that share an outermost cache; on most machines, a domain.
enum class holder_id : std::uint16_t {};

struct line_record {
  std::uint64_t holders = 0;       // a bit for each holder, or for several where there are more than 64
  std::uint16_t sole_core = 0;     // core + 1; nobody, or several
  std::uint16_t dirty_holder = 0;  // holder + 1 whose copy is newer than memory; 0: nobody's

  static constexpr std::uint16_t nobody = 0;
  static constexpr std::uint16_t several = 0xffff;
};

class line_directory {
 public:
  line_directory(std::uint64_t lines, std::uint32_t holders) : records_(lines) {
    while ((holders >> shift_) > 64 || (((holders - 1) >> shift_) > 63)) ++shift_;
  }

  [[nodiscard]] line_record& at(std::uint32_t line) noexcept { return records_[line]; }
  [[nodiscard]] std::uint64_t bit_of(std::uint32_t holder) const noexcept {
    return std::uint64_t{1} << (holder >> shift_);
  }
  /// Each bit stands for one holder, so it can be cleared when that one gives the line up.
  [[nodiscard]] bool exact() const noexcept { return shift_ == 0; }
  /// [first, last) of the holders that bit number `bit` stands for.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t bit) const noexcept { return bit << shift_; }
  [[nodiscard]] std::uint32_t last_of(std::uint32_t bit) const noexcept { return (bit + 1) << shift_; }

 private:
  std::vector<line_record> records_;
  std::uint32_t shift_ = 0;
};

}  // namespace nearfork::sim

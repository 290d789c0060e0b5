// The holders of each line of the data space: which outermost caches hold it, and whether only one core has it in its
// private caches.
#pragma once

#include <cstdint>
#include <vector>

namespace nearfork::sim {

/// Eight bytes, because one record is read for most accessed lines. A holder is a group of cores behind one outermost
/// cache: on most machines, a domain.
class line_record {
 public:
  static constexpr unsigned holder_bits = 48;
  static constexpr std::uint32_t most_cores = (1U << 15) - 2;

  /// One bit per holder; if there are more holders than bits, a bit stands for several.
  [[nodiscard]] constexpr std::uint64_t holders() const noexcept { return word_ & all_holders; }
  constexpr void add_holder(std::uint64_t bit) noexcept { word_ |= bit; }
  constexpr void remove_holder(std::uint64_t bit) noexcept { word_ &= ~bit; }

  /// True if a core has used the line since no holder had it.
  [[nodiscard]] constexpr bool has_core() const noexcept { return (word_ & all_cores) != 0; }
  /// True if only one core has used the line since it came to one of its caches.
  [[nodiscard]] constexpr bool has_sole_core() const noexcept { return (word_ >> core_shift & several) != several; }
  /// That core. Only if has_sole_core().
  [[nodiscard]] constexpr std::uint32_t sole_core() const noexcept {
    return static_cast<std::uint32_t>(word_ >> core_shift & several) - 1;
  }
  constexpr void add_core(std::uint32_t core) noexcept {
    const std::uint64_t mine = std::uint64_t{core + 1} << core_shift;
    const std::uint64_t known = word_ & all_cores;
    if (known != mine) word_ = (word_ & ~all_cores) | (known == 0 ? mine : all_cores);
  }

  /// True if the only copy is newer than memory.
  [[nodiscard]] constexpr bool dirty() const noexcept { return (word_ & dirty_bit) != 0; }
  constexpr void clean() noexcept { word_ &= ~dirty_bit; }

  friend constexpr bool operator==(line_record, line_record) = default;

  /// No holder has the line from now on.
  constexpr void clear() noexcept { word_ = 0; }
  /// As clear(), add_holder() and add_core(); the line is dirty from now on.
  constexpr void belong_to(std::uint64_t holder_bit, std::uint32_t core) noexcept {
    word_ = written_by(holder_bit, core);
  }
  [[nodiscard]] constexpr bool belongs_to(std::uint64_t holder_bit, std::uint32_t core) const noexcept {
    return word_ == written_by(holder_bit, core);
  }

 private:
  static constexpr unsigned core_shift = holder_bits;
  static constexpr std::uint64_t several = (1U << 15) - 1;
  static constexpr std::uint64_t all_holders = (std::uint64_t{1} << holder_bits) - 1;
  static constexpr std::uint64_t all_cores = several << core_shift;
  static constexpr std::uint64_t dirty_bit = std::uint64_t{1} << 63;

  static constexpr std::uint64_t written_by(std::uint64_t holder_bit, std::uint32_t core) noexcept {
    return dirty_bit | std::uint64_t{core + 1} << core_shift | holder_bit;
  }

  std::uint64_t word_ = 0;
};
static_assert(sizeof(line_record) == 8);

class line_directory {
 public:
  line_directory(std::uint64_t lines, std::uint32_t holders) : records_(lines) {
    while (((holders - 1) >> shift_) >= line_record::holder_bits) ++shift_;
  }

  [[nodiscard]] std::uint64_t lines() const noexcept { return records_.size(); }
  [[nodiscard]] line_record& at(std::uint32_t line) noexcept { return records_[line]; }
  [[nodiscard]] line_record at(std::uint32_t line) const noexcept { return records_[line]; }
  /// Asks the host for the record of a line that is used soon, and those after it. Any number.
  [[gnu::always_inline]] void prefetch(std::uint32_t line) const noexcept {
    __builtin_prefetch(records_.data() + line, 1);
  }
  [[nodiscard]] std::uint64_t bit_of(std::uint32_t holder) const noexcept {
    return std::uint64_t{1} << (holder >> shift_);
  }
  /// True if each bit stands for one holder. Such a bit can be cleared when the holder gives up the line.
  [[nodiscard]] bool exact() const noexcept { return shift_ == 0; }
  /// Bit number `bit` stands for the holders [first, last).
  [[nodiscard]] std::uint32_t first_of(std::uint32_t bit) const noexcept { return bit << shift_; }
  [[nodiscard]] std::uint32_t last_of(std::uint32_t bit) const noexcept { return (bit + 1) << shift_; }

 private:
  std::vector<line_record> records_;
  std::uint32_t shift_ = 0;
};

}  // namespace nearfork::sim

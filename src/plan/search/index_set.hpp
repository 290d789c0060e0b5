// A set of small numbers, such as those of workers or domains: membership in one step, and the next member after a
// number in one step for 64 numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nearfork {

class index_set {
 public:
  /// Empty; for numbers below `end`.
  explicit index_set(std::uint32_t end) : end_(end), words_((std::size_t{end} + word_bits - 1) / word_bits) {}

  /// No number in a set is this one.
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] bool contains(std::uint32_t index) const noexcept {
    return (words_[index / word_bits] >> index % word_bits & 1) != 0;
  }
  void insert(std::uint32_t index) noexcept {
    size_ += contains(index) ? 0 : 1;
    words_[index / word_bits] |= bit_of(index);
  }
  void erase(std::uint32_t index) noexcept {
    size_ -= contains(index) ? 1 : 0;
    words_[index / word_bits] &= ~bit_of(index);
  }

  /// The least member that is `from` or more; none: there is none.
  [[nodiscard]] std::uint32_t next(std::uint32_t from) const noexcept {
    if (from >= end_) return none;
    std::size_t at = from / word_bits;
    std::uint64_t left = words_[at] & (~std::uint64_t{0} << from % word_bits);
    while (left == 0) {
      if (++at == words_.size()) return none;
      left = words_[at];
    }
    return static_cast<std::uint32_t>(at * word_bits) + static_cast<std::uint32_t>(std::countr_zero(left));
  }

 private:
  static constexpr std::uint32_t word_bits = 64;
  [[nodiscard]] static std::uint64_t bit_of(std::uint32_t index) noexcept {
    return std::uint64_t{1} << index % word_bits;
  }

  std::uint32_t end_;
  std::uint32_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace nearfork

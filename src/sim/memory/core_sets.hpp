// Sets of cores, by number. A set that is given back is the next one that is taken.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

namespace nearfork::sim {

class core_sets {
 public:
  /// Of cores below `cores`. All sets together take at most `most_bytes`.
  core_sets(std::uint32_t cores, std::size_t most_bytes)
      : words_((cores + word_bits - 1) / word_bits),
        most_(std::min<std::size_t>(most_bytes / (words_ * sizeof(word)), none)) {}

  /// A set without cores. nullopt: there is no room.
  [[nodiscard]] std::optional<std::uint32_t> take() noexcept {
    if (first_free_ != none) {
      const std::uint32_t taken = first_free_;
      first_free_ = static_cast<std::uint32_t>(*first_word(taken));
      std::fill_n(first_word(taken), words_, word{0});
      return taken;
    }
    const std::size_t sets = all_.size() / words_;
    if (sets == most_) return std::nullopt;
    try {
      all_.resize(all_.size() + words_);
    } catch (const std::bad_alloc&) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(sets);
  }
  void give_back(std::uint32_t set) noexcept {
    *first_word(set) = first_free_;
    first_free_ = set;
  }

  void add(std::uint32_t set, std::uint32_t core) noexcept { first_word(set)[core / word_bits] |= bit_of(core); }
  void remove(std::uint32_t set, std::uint32_t core) noexcept { first_word(set)[core / word_bits] &= ~bit_of(core); }
  [[nodiscard]] bool has(std::uint32_t set, std::uint32_t core) const noexcept {
    return (all_[std::size_t{set} * words_ + core / word_bits] & bit_of(core)) != 0;
  }
  /// Calls each(core), in ascending order.
  template <class Each>
  void for_each(std::uint32_t set, Each&& each) const {
    for (std::uint32_t i = 0; i < words_; ++i)
      for (word left = all_[std::size_t{set} * words_ + i]; left != 0; left &= left - 1)
        each(i * word_bits + static_cast<std::uint32_t>(std::countr_zero(left)));
  }

 private:
  using word = std::uint64_t;
  static constexpr std::uint32_t word_bits = 64;
  static constexpr std::uint32_t none = 0xffffffff;

  static constexpr word bit_of(std::uint32_t core) noexcept { return word{1} << core % word_bits; }
  [[nodiscard]] word* first_word(std::uint32_t set) noexcept { return all_.data() + std::size_t{set} * words_; }

  std::uint32_t words_;  // of a set
  std::size_t most_;
  std::vector<word> all_;
  std::uint32_t first_free_ = none;  // its first word is the number of the next one
};

}  // namespace nearfork::sim

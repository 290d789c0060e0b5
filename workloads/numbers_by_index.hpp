#pragma once

#include <cstdint>

namespace nearfork::workloads {

/// SplitMix64 (Steele, Lea, Flood 2014): steps of an odd constant, then a mix in which each bit changes half of all.
namespace detail {

inline constexpr std::uint64_t golden_step = 0x9e3779b97f4a7c15;

[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace detail

/// Numbers for inputs that several tasks write: each number is found without those before it. A seed gives the same
/// numbers with every compiler.
class numbers_by_index {
 public:
  explicit constexpr numbers_by_index(std::uint64_t seed) noexcept : start_(detail::mixed(seed)) {}

  [[nodiscard]] constexpr std::uint64_t at(std::uint64_t index) const noexcept {
    return detail::mixed(start_ + (index + 1) * detail::golden_step);
  }
  /// In [low, high).
  [[nodiscard]] constexpr double between(std::uint64_t index, double low, double high) const noexcept {
    return low + (high - low) * (static_cast<double>(at(index) >> 11) * 0x1p-53);
  }

 private:
  std::uint64_t start_;
};

/// The numbers that follow from one start. Starts come from numbers_by_index, so that each part of an input has its
/// own.
class number_stream {
 public:
  explicit constexpr number_stream(std::uint64_t start) noexcept : state_(start) {}

  [[nodiscard]] constexpr std::uint64_t next() noexcept { return detail::mixed(state_ += detail::golden_step); }
  /// In [0, bound). bound must be above 0 and at most the 32nd power of 2; the bias is below one part in that many,
  /// times bound.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound) noexcept { return ((next() >> 32) * bound) >> 32; }

 private:
  std::uint64_t state_;
};

}  // namespace nearfork::workloads

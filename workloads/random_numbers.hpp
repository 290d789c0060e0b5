// Inputs by seed, the same on every machine.
#pragma once

#include <cstdint>

namespace nearfork::workloads {

/// SplitMix64's finaliser (Steele, Lea, Flood 2014): neighbours give unrelated values.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// SplitMix64. The public headers have no generator, and workloads see nothing else of the library.
class random_numbers {
 public:
  constexpr explicit random_numbers(std::uint64_t seed) noexcept : state_(mixed(seed)) {}
  /// One of many sequences of a seed.
  constexpr random_numbers(std::uint64_t seed, std::uint64_t stream) noexcept
      : state_(mixed(mixed(seed) + 0x9e3779b97f4a7c15 * (stream + 1))) {}

  constexpr std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15); }
  /// In [0, 1), a multiple of 2^-53.
  constexpr double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [0, bound), for small bounds: biased by bound / 2^32.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept { return ((next() >> 32) * bound) >> 32; }

 private:
  std::uint64_t state_;
};

}  // namespace nearfork::workloads

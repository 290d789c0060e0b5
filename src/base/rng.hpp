// Random numbers that are equal on every machine: a seed gives one sequence, for workers, simulator and tests.
#pragma once

#include <cstdint>

namespace nearfork {

/// SplitMix64 (Steele, Lea, Flood 2014): one addition and a mix per number, every 64-bit value once per period.
/// Not for secrets.
class rng {
 public:
  constexpr explicit rng(std::uint64_t seed) noexcept : state_(seed) {}

  /// An independent sequence for each of many users of one seed.
  [[nodiscard]] static constexpr rng for_stream(std::uint64_t seed, std::uint64_t stream) noexcept {
    return rng(mix(seed + mix(stream + step)));
  }

  [[nodiscard]] constexpr std::uint64_t next() noexcept { return mix(state_ += step); }

  /// As next(), so many times.
  constexpr void skip(std::uint64_t numbers) noexcept { state_ += numbers * step; }

  /// Uniform in [0, bound), up to a bias below bound / 2^32. bound must not be 0.
  [[nodiscard]] constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;

  static constexpr std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace nearfork

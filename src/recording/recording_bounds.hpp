// What a recording may hold at most, so that no sum of its numbers overflows: docs/RECORDING.md, "The limit". Readers refuse
// more. Whoever records leaves out what would be more.
#pragma once

#include <cstdint>

#include "recording/recording.hpp"

namespace nearfork::recordings {

/// Of every number without a smaller bound, and of the sums below. As a time: 146 years.
inline constexpr std::uint64_t number_limit = std::uint64_t{1} << 62;

/// False, and `sum` stays as it is, if the sum would be more than number_limit.
[[nodiscard]] constexpr bool add_within_limit(std::uint64_t& sum, std::uint64_t more) noexcept {
  if (sum > number_limit || more > number_limit - sum) return false;
  sum += more;
  return true;
}

/// The same, and a sum that would be more is the largest number there is from then on.
constexpr void add_or_saturate(std::uint64_t& sum, std::uint64_t more) noexcept {
  if (!add_within_limit(sum, more)) sum = ~std::uint64_t{0};
}

/// Bytes of all pieces of an access; the largest number there is if they do not fit 64 bits.
[[nodiscard]] constexpr std::uint64_t touched_bytes(const data_access& access) noexcept {
  std::uint64_t bytes = 0;
  return __builtin_mul_overflow(access.count, access.size_bytes, &bytes) ? ~std::uint64_t{0} : bytes;
}

/// What all iterations of a file may have together, each number_limit at most.
struct recording_sums {
  std::uint64_t duration_ns = 0;
  std::uint64_t work_ns = 0;
  std::uint64_t touched_bytes = 0;

  /// False, and nothing changes, if one would be more.
  [[nodiscard]] constexpr bool add(const recording_sums& more) noexcept {
    recording_sums sums = *this;
    if (!add_within_limit(sums.duration_ns, more.duration_ns) || !add_within_limit(sums.work_ns, more.work_ns) ||
        !add_within_limit(sums.touched_bytes, more.touched_bytes))
      return false;
    *this = sums;
    return true;
  }
  /// Takes back what was added.
  constexpr recording_sums& operator-=(const recording_sums& added) noexcept {
    duration_ns -= added.duration_ns;
    work_ns -= added.work_ns;
    touched_bytes -= added.touched_bytes;
    return *this;
  }
};

}  // namespace nearfork::recordings

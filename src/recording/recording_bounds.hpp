// The limits of a recording, so that no sum of its numbers overflows: docs/RECORDING.md, "The limit". Readers refuse
// more. Recorders leave out what would exceed the limits.
#pragma once

#include <cstdint>

#include "recording/recording.hpp"

namespace nearfork::recordings {

/// The bound of every number without a smaller bound, and of the sums below. As a time: 146 years.
inline constexpr std::uint64_t number_limit = std::uint64_t{1} << 62;

/// False if the sum would exceed number_limit; then `sum` is unchanged.
[[nodiscard]] constexpr bool add_within_limit(std::uint64_t& sum, std::uint64_t more) noexcept {
  if (sum > number_limit || more > number_limit - sum) return false;
  sum += more;
  return true;
}

/// The same, but a sum that would exceed the limit becomes the largest number and stays so.
constexpr void add_or_saturate(std::uint64_t& sum, std::uint64_t more) noexcept {
  if (!add_within_limit(sum, more)) sum = ~std::uint64_t{0};
}

/// The bytes of all pieces of an access; the largest number if they do not fit 64 bits.
[[nodiscard]] constexpr std::uint64_t touched_bytes(const data_access& access) noexcept {
  std::uint64_t bytes = 0;
  return __builtin_mul_overflow(access.count, access.size_bytes, &bytes) ? ~std::uint64_t{0} : bytes;
}

/// The sums over all iterations of a file, each at most number_limit.
struct recording_sums {
  std::uint64_t duration_ns = 0;
  std::uint64_t work_ns = 0;
  std::uint64_t touched_bytes = 0;

  /// False if a sum would exceed its limit; then nothing changes.
  [[nodiscard]] constexpr bool add(const recording_sums& more) noexcept {
    recording_sums sums = *this;
    if (!add_within_limit(sums.duration_ns, more.duration_ns) || !add_within_limit(sums.work_ns, more.work_ns) ||
        !add_within_limit(sums.touched_bytes, more.touched_bytes))
      return false;
    *this = sums;
    return true;
  }
  /// Subtracts what was added.
  constexpr recording_sums& operator-=(const recording_sums& added) noexcept {
    duration_ns -= added.duration_ns;
    work_ns -= added.work_ns;
    touched_bytes -= added.touched_bytes;
    return *this;
  }
};

}  // namespace nearfork::recordings

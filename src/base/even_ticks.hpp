// Ticks that pass evenly, whichever core counts them: those of the core's counter if it runs at any frequency and in
// sleep, else nanoseconds of the system's monotonic clock.
#pragma once

#include <cstdint>

#include <nearfork/detail/coarse_ticks.hpp>

#include "base/monotonic_clock.hpp"

namespace nearfork::detail {

enum class tick_source : std::uint8_t { counter, monotonic_clock };

/// What the processor says of its counter (x86-64: CPUID 80000007H, EDX bit 8; AArch64's always runs evenly).
[[nodiscard]] tick_source even_tick_source() noexcept;

[[nodiscard]] inline std::uint64_t ticks_of(tick_source source) noexcept {
  return source == tick_source::counter ? coarse_ticks() : now_ns();
}

/// How long a tick takes, measured over the life of this object. The longer it lives, the more exact.
class tick_rate {
 public:
  explicit tick_rate(tick_source source) noexcept
      : source_(source), first_ns_(now_ns()), first_ticks_(ticks_of(source)) {}

  [[nodiscard]] double ns_per_tick() const noexcept;
  [[nodiscard]] std::uint64_t first_ns() const noexcept { return first_ns_; }
  [[nodiscard]] std::uint64_t first_ticks() const noexcept { return first_ticks_; }

 private:
  const tick_source source_;
  const std::uint64_t first_ns_;
  const std::uint64_t first_ticks_;
};

}  // namespace nearfork::detail

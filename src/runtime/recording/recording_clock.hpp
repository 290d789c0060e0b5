// The clock of profiles and recordings: the core's counter if it runs evenly at any frequency and in sleep, else the
// system's monotonic clock. The clock also says what measuring itself takes, which tasks' times leave out.
#pragma once

#include <cstdint>
#include <string>

#include <nearfork/parallel_for.hpp>

#include "base/monotonic_clock.hpp"

namespace nearfork::detail {

enum class tick_source : std::uint8_t { counter, monotonic_clock };

/// What the processor says of its counter (x86-64: CPUID 80000007H, EDX bit 8; AArch64's always runs evenly).
[[nodiscard]] tick_source even_tick_source() noexcept;

struct recording_clock {
  tick_source source = tick_source::monotonic_clock;
  std::int64_t read_ticks = 0;  // from one reading to the next if nothing is done in between
  /// What a stretch of an empty recorded task takes: nearfork's own work at both its ends.
  std::int64_t boundary_ticks = 0;

  [[nodiscard]] std::int64_t now() const noexcept {
    return static_cast<std::int64_t>(source == tick_source::counter ? coarse_ticks() : now_ns());
  }
};

/// How long a tick takes, measured over the life of this object. The longer it lives, the more exact.
class tick_rate {
 public:
  explicit tick_rate(const recording_clock& clock) noexcept
      : source_(clock.source), first_ns_(now_ns()), first_ticks_(clock.now()) {}

  [[nodiscard]] double ns_per_tick() const noexcept;

 private:
  const tick_source source_;
  const std::uint64_t first_ns_;
  const std::int64_t first_ticks_;
};

/// For people: "time-stamp counter at 2596 MHz, less 20 ns a stretch".
[[nodiscard]] std::string line_of(const recording_clock& clock, double ns_per_tick);

}  // namespace nearfork::detail

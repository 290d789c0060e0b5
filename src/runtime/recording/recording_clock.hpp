// The clock of profiles and recordings. It also says what measuring itself takes, which tasks' times leave out.
#pragma once

#include <cstdint>
#include <string>

#include "base/even_ticks.hpp"

namespace nearfork::detail {

struct recording_clock {
  tick_source source = tick_source::monotonic_clock;
  std::int64_t read_ticks = 0;  // from one reading to the next if nothing is done in between
  /// What a stretch of an empty recorded task takes: nearfork's own work at both its ends.
  std::int64_t boundary_ticks = 0;

  [[nodiscard]] std::int64_t now() const noexcept { return static_cast<std::int64_t>(ticks_of(source)); }
};

/// For people: "time-stamp counter at 2596 MHz, less 20 ns a stretch".
[[nodiscard]] std::string line_of(const recording_clock& clock, double ns_per_tick);

}  // namespace nearfork::detail

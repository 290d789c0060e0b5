#include "runtime/recording/recording_clock.hpp"

#include <cmath>

namespace nearfork::detail {

std::string line_of(const recording_clock& clock, double ns_per_tick) {
  std::string line = "monotonic clock";
  if (clock.source == tick_source::counter)
    line = "time-stamp counter at " + std::to_string(std::llround(1e3 / ns_per_tick)) + " MHz";
  const auto own = std::llround(static_cast<double>(clock.boundary_ticks) * ns_per_tick);
  return line + ", less " + std::to_string(own) + " ns a stretch";
}

}  // namespace nearfork::detail

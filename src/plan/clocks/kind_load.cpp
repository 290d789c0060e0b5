#include "plan/clocks/kind_load.hpp"

#include <algorithm>
#include <cmath>

namespace nearfork {

double clock_at(clock_step step, const clock_range& clocks) noexcept {
  return std::max(clocks.least_ghz, clocks.normal_ghz * step / normal_step);
}

clock_step least_step(std::span<const kind_load> kinds) noexcept {
  double least = 1;
  for (const kind_load& one : kinds)
    if (one.clocks.normal_ghz > 0) least = std::min(least, one.clocks.least_ghz / one.clocks.normal_ghz);
  return static_cast<clock_step>(std::clamp(std::floor(least * normal_step), 1.0, double{normal_step}));
}

double power_at(const clock_range& clocks, double ghz) noexcept {
  return clocks.lambda * ghz * ghz * ghz;
}

double power_budget(std::span<const kind_load> kinds) noexcept {
  double sum = 0;
  for (const kind_load& kind : kinds) sum += kind.cores * power_at(kind.clocks, kind.clocks.normal_ghz);
  return sum;
}

}  // namespace nearfork

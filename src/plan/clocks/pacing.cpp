#include "plan/clocks/pacing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nearfork {
namespace {

/// At price 1 of a watt, without bounds.
double free_clock(const clock_range& can) noexcept {
  return std::sqrt(can.work_per_cycle / can.lambda);
}

double clock_at_scale(const clock_range& can, double scale) noexcept {
  return std::clamp(scale * free_clock(can), can.least_ghz, can.most_ghz);
}

double power_of_working(std::span<const kind_load> kinds, double scale) noexcept {
  double sum = 0;
  for (const kind_load& kind : kinds) sum += kind.working() * power_at(kind.clocks, clock_at_scale(kind.clocks, scale));
  return sum;
}

/// The scale at which the working cores draw `budget`: the power grows with it, piece by piece, and each piece ends
/// where a kind reaches an end of its range.
double scale_for(std::span<const kind_load> kinds, double budget) {
  std::vector<double> ends;
  for (const kind_load& kind : kinds) {
    ends.push_back(kind.clocks.least_ghz / free_clock(kind.clocks));
    ends.push_back(kind.clocks.most_ghz / free_clock(kind.clocks));
  }
  std::ranges::sort(ends);
  double reached = ends.front();
  for (const double end : ends) {
    if (power_of_working(kinds, end) > budget) break;
    reached = end;
  }
  double fixed = 0;  // the power of those that no scale up to the next end changes
  double cubic = 0;  // of the others, at scale 1
  for (const kind_load& kind : kinds) {
    const double clock = reached * free_clock(kind.clocks);
    const bool moves = clock >= kind.clocks.least_ghz * (1 - 1e-12) && clock < kind.clocks.most_ghz * (1 - 1e-12);
    if (moves) cubic += kind.working() * power_at(kind.clocks, free_clock(kind.clocks));
    else fixed += kind.working() * power_at(kind.clocks, clock_at_scale(kind.clocks, reached));
  }
  return cubic > 0 ? std::max(reached, std::cbrt((budget - fixed) / cubic)) : reached;
}

}  // namespace

std::vector<double> paced_clocks(std::span<const kind_load> kinds) {
  double budget = power_budget(kinds);
  for (const kind_load& kind : kinds) budget -= kind.waiting * power_at(kind.clocks, kind.clocks.least_ghz);
  std::vector<double> clocks;
  if (kinds.empty()) return clocks;
  const double scale = scale_for(kinds, budget);
  for (const kind_load& kind : kinds) clocks.push_back(clock_at_scale(kind.clocks, scale));
  return clocks;
}

}  // namespace nearfork

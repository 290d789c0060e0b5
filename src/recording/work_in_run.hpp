// How much of a run's work a region did. A region of many short iterations may do most of it, and one of its iterations
// little.
#pragma once

#include <algorithm>

#include "recording/recording.hpp"

namespace nearfork::recordings {

/// The work of all iterations that the program ran, in nanoseconds; those without a recording are taken as long as the
/// recorded ones. 0 if none is recorded.
[[nodiscard]] inline double work_in_run_ns(const region& one) {
  if (one.recorded.empty()) return 0;
  double sum = 0;
  for (const iteration& each : one.recorded) sum += static_cast<double>(each.graph.work_ns());
  const auto recorded = static_cast<double>(one.recorded.size());
  return sum / recorded * std::max(static_cast<double>(one.iterations), recorded);
}

[[nodiscard]] inline double work_in_run_ns(const recording& run) {
  double sum = 0;
  for (const region& one : run.regions) sum += work_in_run_ns(one);
  return sum;
}

}  // namespace nearfork::recordings

// How many bytes each task and all below it involve: A-CAB's SOID, LAWS's SOSC; and whether they are worth planning for.
#pragma once

#include <vector>

#include "plan/profile/profile.hpp"

namespace nearfork {

/// By node of the profile's tree: as measured (A-CAB Eq. 1, LAWS Eq. 2). Empty: no bytes were measured.
[[nodiscard]] std::vector<double> measured_bytes(const profile& measured);

/// By node: the region's input over the branching degrees above (A-CAB Eq. 2). Empty: nobody said how large it is.
[[nodiscard]] std::vector<double> bytes_by_branching(const profile& measured);

/// The first of the two that is known.
[[nodiscard]] std::vector<double> best_known_bytes(const profile& measured);

/// Below this, locality has nothing to gain. A cache line per microsecond: were each fetched from a memory that takes
/// 100 ns to answer, none overlapping with work or with each other, memory would take a tenth of the time, and bringing
/// it nearer could save a part of that tenth. Estimated, not measured.
inline constexpr double least_bytes_per_ns = 64.0 / 1000;

/// Both papers leave programs that the cores bound to plain stealing. False where bytes or time were not measured.
[[nodiscard]] bool is_cpu_bound(const profile& measured) noexcept;

}  // namespace nearfork

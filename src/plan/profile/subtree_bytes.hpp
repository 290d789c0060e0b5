// How many bytes each task touches with all below it: A-CAB's SOID, LAWS's SOSC. And whether a region is worth planning
// for.
#pragma once

#include <functional>

#include "plan/profile/profile.hpp"

namespace nearfork {

/// The bytes of one task, computed when asked for: plans look at the few tasks at and above the subtree roots, and
/// trees have up to millions. Empty: not known. The profile must outlive it.
using bytes_of_task = std::function<double(tree_node)>;

/// As measured (A-CAB Eq. 1, LAWS Eq. 2). Empty: no bytes were measured. O(1) per task.
[[nodiscard]] bytes_of_task measured_bytes(const profile& measured);

/// The region's input over the branching degrees above (A-CAB Eq. 2). Empty: the size of the input is not known.
/// O(depth) per task.
[[nodiscard]] bytes_of_task bytes_by_branching(const profile& measured);

/// The first of these two that is known.
[[nodiscard]] bytes_of_task best_known_bytes(const profile& measured);

/// Below this rate locality has nothing to gain. It is a cache line per microsecond: if each line came from a memory
/// with a latency of 100 ns, without any overlap with work or each other, memory would take a tenth of the time, and
/// nearer memory could save only a part of that tenth. Estimated, not measured.
inline constexpr double least_bytes_per_ns = 64.0 / 1000;

/// Both papers leave programs that the cores bound to plain stealing. False if bytes or time were not measured.
[[nodiscard]] bool is_cpu_bound(const profile& measured) noexcept;

}  // namespace nearfork

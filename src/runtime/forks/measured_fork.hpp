// Forks of a profiled or recorded iteration about which no plan says anything: ordinary forks, and notes about them.
#pragma once

#include <span>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/stack_job.hpp>

#include "runtime/regions/tree_cursor.hpp"

namespace nearfork::detail {

/// Nothing is planned for the task's forks.
[[nodiscard]] inline bool is_only_measured(const tree_cursor& task) noexcept {
  return task.clock.measured() && !task.planned.planned();
}

/// run_planned() for the task that runs on `self`, which is_only_measured(). False: nothing was done, since the log has
/// no room for the children.
[[nodiscard]] bool try_run_measured(fiber& self, std::span<const slow_child> children);

/// Measures on this worker what measuring itself takes. The call takes about 0.2 ms.
void calibrate(recording_clock& clock, fiber& self);

}  // namespace nearfork::detail

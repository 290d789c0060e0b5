// Forks of a recorded iteration that no plan has anything to say about: an ordinary fork, and notes about it.
#pragma once

#include <span>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>

#include "runtime/regions/region_table.hpp"

namespace nearfork::detail {

/// Nothing is planned for the task's forks, and nothing else is measured.
[[nodiscard]] inline bool is_only_recorded(const tree_cursor& task) noexcept {
  return task.recorded.log != nullptr && task.node == no_node && !task.planned.planned();
}

/// run_planned() for the task that runs on `self`, which is_only_recorded(). False: nothing was done, since the
/// recording has no room for the children.
[[nodiscard]] bool try_run_recorded(fiber& self, std::span<job* const> children) noexcept;

/// Measures on this worker what measuring takes: about 0.2 ms.
void calibrate(recording_clock& clock, fiber& self);

}  // namespace nearfork::detail

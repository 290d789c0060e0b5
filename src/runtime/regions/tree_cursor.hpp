// Where a task stands in its iteration's tree.
#pragma once

#include "plan/plans/plan.hpp"
#include "runtime/regions/region_iteration.hpp"
#include "runtime/regions/task_clock.hpp"

namespace nearfork::detail {

/// For tasks above the plan's subtree roots, and for all tasks of a profiled or recorded iteration.
struct tree_cursor {
  region_iteration* iteration = nullptr;  // nullptr: no plan says anything about the task or those below
  plan_cursor planned{};
  placement where{};  // what the plan says of this task
  task_clock clock{};

  /// Regions inside a run() have logs of their own.
  [[nodiscard]] bool is_of_recorded_run() const noexcept {
    const iteration_log* const log = clock.at.log;
    return log != nullptr && log->records() && log->recorded().kind == recorded_root_kind::run;
  }
};

/// A task has forked, or ended, otherwise than its plan foresees.
inline void note_if_strayed(const tree_cursor& task, bool ended) noexcept {
  if (task.iteration != nullptr && (task.planned.strayed() || (ended && task.planned.forks_missing())))
    task.iteration->strayed.store(true, seam::memory_order_relaxed);
}

}  // namespace nearfork::detail

// The clock of a measured task. The time and cache misses that the task spends outside its children are its own, and go
// into the log of its iteration.
#pragma once

#include <cstdint>

#include "runtime/recording/iteration_log.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork::detail {

/// What the clock and the worker's counter show.
struct moment {
  std::int64_t ticks = 0;   // read from the log's clock
  std::uint64_t bytes = 0;  // missed by the worker so far; 0 if no profile is made
};

struct task_clock {
  noted_place at{};
  moment started{};
  const worker* on = nullptr;  // while on a fiber's clock: a worker's counter counts that worker alone

  /// The task is profiled or recorded.
  [[nodiscard]] bool measured() const noexcept { return at.log != nullptr; }
};

/// Called on worker `me`. Reads the counter first: that takes up to a microsecond, and reading the clock misses
/// nothing.
[[nodiscard]] moment moment_to_start(worker& me, const iteration_log& log) noexcept;

/// The clock stands while the task waits, because the task's fiber may go on elsewhere. One task at a time is on the
/// clock of a fiber. start_clock() and stop_clock() do nothing if the task is not measured, or no task is.
void start_clock(fiber& self, task_clock& task) noexcept;
/// Returns the task that was on the clock; nullptr: none was.
task_clock* stop_clock(fiber& self) noexcept;

/// Takes `task` off the clock. Another task can go on the clock at the returned moment: two readings would take twice
/// as long. The piece's children, if it has any, were forked at its end.
[[nodiscard]] moment end_piece(fiber& self, const task_clock& task, const work_piece& piece) noexcept;
void put_on_clock(fiber& self, task_clock& task, const moment& now) noexcept;

}  // namespace nearfork::detail

// The clock of a measured task: what it spends outside its children, in time and cache misses, counts as its own and
// goes into the log of its iteration.
#pragma once

#include <cstdint>

#include "runtime/recording/iteration_log.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork::detail {

/// What the clock and the worker's counter show.
struct moment {
  std::int64_t ticks = 0;   // of the log's clock
  std::uint64_t bytes = 0;  // missed by its worker so far; 0 where no profile is made
};

struct task_clock {
  noted_place at{};
  moment started{};
  const worker* on = nullptr;  // while it is on a fiber's clock: a worker's counter tells of that worker alone

  /// Somebody wants to know.
  [[nodiscard]] bool measured() const noexcept { return at.log != nullptr; }
};

/// On the worker that calls. The counter is read first: it takes up to a microsecond, and a reading of the clock misses
/// nothing.
[[nodiscard]] moment moment_to_start(worker& me, const iteration_log& log) noexcept;

/// The clock stands while the task waits: its fiber may go on elsewhere. One task at a time is on the clock of a fiber.
/// Both do nothing where the task is not measured, or none is.
void start_clock(fiber& self, task_clock& task) noexcept;
/// Whose clock it was; nullptr: nobody's.
task_clock* stop_clock(fiber& self) noexcept;

/// One task leaves the clock and another one can go on it at the moment that is returned: two readings would take twice
/// as long. The piece's children, if it has any, were forked at its end.
[[nodiscard]] moment end_piece(fiber& self, const task_clock& task, const work_piece& piece) noexcept;
void put_on_clock(fiber& self, task_clock& task, const moment& now) noexcept;

}  // namespace nearfork::detail

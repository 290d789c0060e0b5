#include "runtime/regions/task_clock.hpp"

#include <cassert>
#include <utility>

namespace nearfork::detail {
namespace {

/// The piece ended at `now`. Its misses are read right afterwards: the misses of measuring itself are charged to no
/// task.
noting note_piece(worker& me, const task_clock& task, work_piece piece, std::int64_t now) noexcept {
  assert(task.on == &me);
  iteration_log& log = *task.at.log;
  if (log.profiles()) {
    log.note_misses(me.index, {.task = task.at.task, .bytes = me.misses.read_bytes() - task.started.bytes});
    log.note_uncounted(me.index, me.misses.why_not());
  }
  piece.task = task.at.task;
  piece.stretch = task.at.stretch;
  piece.ticks = now - task.started.ticks;
  return log.note(me.index, piece);
}

/// `own_ticks`: what measuring takes from now on, which is not the task's.
void start_at(fiber& self, task_clock& task, const moment& now, std::int64_t own_ticks) noexcept {
  self.on_the_clock = &task;
  task.on = self.runner;
  task.started = now;
  task.started.ticks += own_ticks;
}

}  // namespace

moment moment_to_start(worker& me, const iteration_log& log) noexcept {
  if (!log.profiles()) return {.ticks = log.clock().now()};
  me.misses.open_if_needed(me);
  const std::uint64_t bytes = me.misses.read_bytes();
  return {.ticks = log.clock().now(), .bytes = bytes};
}

void start_clock(fiber& self, task_clock& task) noexcept {
  if (!task.measured()) return;
  const iteration_log& log = *task.at.log;
  start_at(self, task, moment_to_start(*self.runner, log), log.clock().read_ticks);
}

task_clock* stop_clock(fiber& self) noexcept {
  task_clock* const task = std::exchange(self.on_the_clock, nullptr);
  if (task != nullptr) (void)note_piece(*self.runner, *task, {}, task->at.log->clock().now());
  return task;
}

moment end_piece(fiber& self, const task_clock& task, const work_piece& piece) noexcept {
  const iteration_log& log = *task.at.log;
  const std::int64_t now = log.clock().now();
  const bool took_long = note_piece(*self.runner, task, piece, now) == noting::took_long;
  return took_long || log.profiles() ? moment_to_start(*self.runner, log) : moment{.ticks = now};
}

void put_on_clock(fiber& self, task_clock& task, const moment& now) noexcept {
  start_at(self, task, now, task.at.log->clock().boundary_ticks);
}

}  // namespace nearfork::detail

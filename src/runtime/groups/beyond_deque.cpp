// What a frame does that spawns more tasks than its deque holds.
#include <nearfork/task_group.hpp>

#include <bit>

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/short_loop.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/forks/fork_cancelling.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {

/// A task that runs at once and waits would have its spawner wait, too, perhaps for what the spawner does next. Up to a
/// million tasks the pool is the place then: it takes 0.1 us and 100 bytes a task, the deque a few ns. What a task
/// spawns that runs at once goes there, too: a chain of tasks would fill the stack. So do long tasks while the other
/// workers have few left (40,000 tasks of 13 us, two workers: 10.4 us a task if all beyond the first 8000 ran at once,
/// 7.1 so).
void task_group::push_beyond_deque(fiber& self, detail::task_owner task) {
  constexpr std::int64_t most_in_pool = 1'000'000;
  if (detail::must_run_in_place()) return run_in_place(std::move(task));
  const bool may_wait = detail::expects_waiting_tasks() && elsewhere_.approx_count() < most_in_pool;
  if (may_wait || self.beyond_deque) return push_elsewhere(std::move(task));
  coarse_spawns& seen = self.runner->spawned_beyond_deque;
  if (seen.are_coarse() && others_lack_tasks() && !seen.is_next_timed()) return push_elsewhere(std::move(task));
  if (make_room(self)) return push_at_home(self, std::move(task));
  run_beyond_deque(self, std::move(task));
}

/// Few tasks of the group have not ended.
bool task_group::others_lack_tasks() const noexcept {
  constexpr std::int64_t enough = detail::deque_capacity / 4;
  return static_cast<std::int64_t>(pushed_) + elsewhere_.approx_count() < enough;
}

/// Runs the youngest tasks, as sync() would, for some microseconds: the next ones can be pushed again. A million
/// trivial tasks take 7 ns each so, and 46 if each beyond the first 8000 runs at once; of 0.2 us on two workers 140 and
/// 260, because the slots are used again, and thieves find tasks to the end. False: there is no room.
bool task_group::make_room(fiber& self) noexcept {
  if (self.scope != scope_.parent || may_not_run_own(self)) return false;
  self.beyond_deque = true;
  {
    const detail::scope_of_tasks here(scope_, first_);
    run_some(self);
  }
  self.beyond_deque = false;
  if (self.jobs.owner_lost_all()) reuse_slots(self);
  detail::slot* const head = self.jobs.owner_head();
  return is_at_top(head) && !self.jobs.owner_full(head);
}

void task_group::run_some(fiber& self) noexcept {
  constexpr std::size_t most = detail::deque_capacity / 4;
  constexpr std::uint64_t most_ticks = detail::look_up_ticks * 4;
  const std::uint64_t began = detail::coarse_ticks();
  std::uint64_t ticks = 0;
  std::size_t run = 0;
  while (run != most && ticks < most_ticks && run_youngest_alone(self)) {
    ++run;
    if (std::has_single_bit(run) || run % 64 == 0) ticks = detail::coarse_ticks() - began;
  }
  if (run != 0) self.runner->spawned_beyond_deque.timed(ticks / run);  // perhaps another worker's
}

/// False: there is none, it was stolen, or there is something to be seen to first.
bool task_group::run_youngest_alone(fiber& self) noexcept {
  detail::slot* const head = self.jobs.owner_head();
  if (!has_jobs_at_home() || !is_at_top(head) || may_not_run_own(self)) return false;
  detail::slot* const youngest = head - 1;
  if (!self.jobs.owner_pop(youngest) && !detail::take_back(self, youngest)) {
    self.jobs.owner_set_head(head);
    return false;
  }
  --pushed_;
  call_own(youngest);
  return true;
}

/// All jobs are stolen. Once they have ended, too, their cells are free, and the group begins again where it began.
void task_group::reuse_slots(fiber& self) noexcept {
  if (!is_at_top(self.jobs.owner_head()) || !elsewhere_.try_add_ended(static_cast<std::int64_t>(pushed_))) return;
  sanitizers::take_over(&elsewhere_);
  pushed_ = 0;
  self.jobs.owner_forget(first_);
}

void task_group::run_beyond_deque(fiber& self, detail::task_owner task) noexcept {
  const std::uint64_t began = detail::coarse_ticks();
  self.beyond_deque = true;
  run_in_place(std::move(task));
  self.beyond_deque = false;
  self.runner->spawned_beyond_deque.timed(detail::coarse_ticks() - began);  // perhaps another worker's
}

}  // namespace nearfork

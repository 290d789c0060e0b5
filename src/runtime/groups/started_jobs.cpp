#include "runtime/groups/started_jobs.hpp"

#include <nearfork/detail/coarse_ticks.hpp>

#include "runtime/fibers/exit_watch.hpp"
#include "runtime/groups/loose_jobs.hpp"
#include "runtime/groups/taken_along.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/deputy.hpp"

namespace nearfork {
namespace {

/// A job begins outside all scopes. The job enters its own scope when it runs: only the job knows its kind.
void run_job(fiber& self, const work_item& found) noexcept {
  watch_for_exit_in_tasks();
  self.base.parent = nullptr;
  self.base.clear_after.store(0, seam::memory_order_relaxed);
  self.base.on = nullptr;
  self.family = nullptr;
  self.stolen_from = found.stolen_from;
  const auto id = reinterpret_cast<std::uintptr_t>(found.start);
  self.runner->note(
      {.subject = id, .kind = traces::event_kind::task_begins, .detail = static_cast<std::uint8_t>(found.origin)});
  found.start->run();
  self.runner->note({.subject = id, .kind = traces::event_kind::task_ends});  // perhaps on another worker
}

void run_with_loose(fiber& self, const work_item& found) noexcept {
  run_job(self, found);
  while (detail::has_loose(self)) {
    if (!may_go_on(*self.runner)) return detail::give_away_loose(self);
    self.runner->home.polling().poll_if_due();
    if (job* const left = detail::take_loose(self))
      run_job(self, {.start = left, .origin = traces::task_origin::spawned});
  }
}

}  // namespace

bool may_go_on(const worker& me) noexcept {
  return me.resume_next == nullptr && !deputy_must_leave(me);
}

void start(fiber& self, const work_item& found) noexcept {
  worker& me = *self.runner;
  if (!may_take_along(me, found)) return run_with_loose(self, found);
  const std::uint64_t began = detail::coarse_ticks();
  work_item first = found;
  const std::size_t tasks = 1 + take_along(self, first);
  run_with_loose(self, first);
  if (self.runner != &me) return;
  me.taken_at_a_time.took(tasks, detail::coarse_ticks() - began, found.stolen_from.owner != nullptr);
}

}  // namespace nearfork

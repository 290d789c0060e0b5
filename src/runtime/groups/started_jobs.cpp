#include "runtime/groups/started_jobs.hpp"

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/tasks/group_task.hpp>

#include "runtime/fibers/exit_watch.hpp"
#include "runtime/groups/loose_jobs.hpp"
#include "runtime/groups/taken_along.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/deputy.hpp"

namespace nearfork {
namespace {

/// A job begins outside all scopes. The job enters its own scope when it runs: only the job knows its kind.
void run_job(fiber& self, const work_item& found) noexcept {
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

/// What a job that ends here may leave for the same fiber.
enum class loose : std::uint8_t { of_any_group, of_same_group };

/// nullptr: none is left here.
job* next_loose(fiber& self, loose which) noexcept {
  while (detail::has_loose(self)) {
    worker& me = *self.runner;
    me.home.polling().poll_if_due();
    if (!may_go_on(me)) {
      detail::give_away_loose(self);
      break;
    }
    job* const left = detail::take_loose(self);
    if (left == nullptr || static_cast<detail::group_job*>(left)->group() == self.account.group) return left;
    settle(self);
    if (which == loose::of_any_group && may_go_on(me)) return left;
    me.home.hand_on_in_domain_of(me, {.start = left});
  }
  return nullptr;
}

void run_with_loose(fiber& self, const work_item& found, loose which) noexcept {
  watch_for_exit_in_tasks();
  run_job(self, found);
  while (job* const left = next_loose(self, which))
    run_job(self, {.start = left, .origin = traces::task_origin::spawned});
}

}  // namespace

bool may_go_on(const worker& me) noexcept {
  return me.resume_next == nullptr && !deputy_must_leave(me);
}

void start(fiber& self, const work_item& found) noexcept {
  worker& me = *self.runner;
  if (!may_take_along(me, found)) {
    run_with_loose(self, found, loose::of_any_group);
    return settle(self);
  }
  const std::uint64_t began = detail::coarse_ticks();
  work_item first = found;
  const std::size_t tasks = 1 + take_along(self, first);
  run_with_loose(self, first, loose::of_any_group);
  settle(self);
  if (self.runner != &me) return;
  me.taken_at_a_time.took(tasks, detail::coarse_ticks() - began, found.stolen_from.owner != nullptr);
}

void start_unsettled(fiber& self, job& task) noexcept {
  run_with_loose(self, {.start = &task, .origin = traces::task_origin::spawned}, loose::of_same_group);
}

void settle(fiber& self) noexcept {
  if (self.account.group != nullptr) detail::group_job::settle_account(self);
}

}  // namespace nearfork

#include "runtime/workers/worker_loop.hpp"

#include <exception>
#include <utility>

#include "base/monotonic_clock.hpp"
#include "runtime/fibers/exit_watch.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/deputy.hpp"
#include "runtime/workers/find_work.hpp"
#include "runtime/workers/idling.hpp"
#include "runtime/workers/switching.hpp"

namespace nearfork {
namespace {

void resume(worker& self, fiber& loop, fiber& sleeper) noexcept {
  watch_for_exit_in_tasks();
  switch_fiber(self, loop, sleeper, {after_switch::act::keep_as_spare, &loop, nullptr});
}

/// A job begins outside all scopes. The job enters its own scope when it runs: only the job knows its kind.
void start(fiber& self, const work_item& found) noexcept {
  watch_for_exit_in_tasks();
  self.base.parent = nullptr;
  self.base.on = nullptr;
  self.family = nullptr;
  self.stolen_from = found.stolen_from;
  const auto id = reinterpret_cast<std::uintptr_t>(found.start);
  self.runner->note(
      {.subject = id, .kind = traces::event_kind::task_begins, .detail = static_cast<std::uint8_t>(found.origin)});
  found.start->run();
  self.runner->note({.subject = id, .kind = traces::event_kind::task_ends});  // perhaps on another worker
}

/// Roots that end within `short_ns` follow each other from the worker's own portion, without a search: of tasks that a
/// thread outside spawns one by one, trivial ones take 155 ns so, and 335 with a search for each (two workers on two
/// cores). After a longer one work in progress comes first again.
void start_roots(fiber& self, work_item root, std::uint64_t begun) noexcept {
  constexpr std::uint64_t short_ns = 2'000;
  worker& me = *self.runner;
  for (;;) {
    start(self, root);
    if (self.runner != &me || me.resume_next != nullptr || deputy_must_leave(me)) return;
    const std::uint64_t now = now_ns();
    if (now - begun > short_ns) return;
    begun = now;
    me.home.polling().poll_if_due(now);
    root = next_of_portion(me);
    if (root.go_on != nullptr) return resume(me, self, *root.go_on);
    if (root.start == nullptr) return;
  }
}

/// Switches back to the thread's own stack, which ends the thread.
[[noreturn]] void leave(worker& self, fiber& loop) noexcept {
  self.present.store(nullptr, seam::memory_order_release);
  self.after = {};
  switch_context(*loop.context, self.thread_stack);
  std::terminate();  // the loop of a stopped worker is never resumed
}

}  // namespace

void worker_loop(fiber& self) noexcept {
  for (;;) {
    // A job may have been suspended and have gone on elsewhere, and this loop with it: read each time which worker runs
    // the loop.
    worker& me = *self.runner;
    if (fiber* const sleeper = std::exchange(me.resume_next, nullptr)) {
      resume(me, self, *sleeper);
      continue;
    }
    if (job* const first = first_of_deputy(me)) {
      start(self, {.start = first, .origin = traces::task_origin::caller});
      continue;
    }
    if (deputy_must_leave(me)) {
      leave_as_deputy(me, self);
      continue;
    }
    me.home.end_work(me);
    if (me.home.wants_to_cross(me)) me.counters.wanted_crossings.add();
    me.searching_since_ns = now_ns();
    me.waits.start(me.searching_since_ns);
    me.home.polling().poll_if_due(me.searching_since_ns);
    work_item found = find_work(me);
    if (!found) found = idle_until_work(me);
    const std::uint64_t found_at = now_ns();
    me.waits.stop(found_at);
    me.home.begin_work(me);
    if (found && me.home.polling().lacks_watcher()) me.home.call_watcher(me);
    if (found && deputy_must_leave(me)) me.home.push_in_domain_of(me, found);
    else if (found.origin == traces::task_origin::injector && found.start != nullptr)
      start_roots(self, found, found_at);
    else if (found.start != nullptr) start(self, found);
    else if (found.go_on != nullptr) resume(me, self, *found.go_on);
    else if (me.standing_in == nullptr) leave(me, self);
  }
}

}  // namespace nearfork

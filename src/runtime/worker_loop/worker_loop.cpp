#include "runtime/worker_loop/worker_loop.hpp"

#include <exception>
#include <utility>

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/short_loop.hpp>

#include "base/monotonic_clock.hpp"
#include "runtime/fibers/exit_watch.hpp"
#include "runtime/groups/started_jobs.hpp"
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

/// A task whose job ended here goes on where it waited, if that worker has nothing else to do: its data are there, and
/// the next tasks that it forks go to the same workers as before. True: that worker has it.
bool went_home(worker& me, fiber& sleeper) noexcept {
  constexpr int most_looks = 64;
  worker& before = *sleeper.runner;
  if (&before == &me || !before.home_place.give(sleeper)) return false;
  for (int looks = 0; looks < most_looks; ++looks) {
    seam::pause();
    if (before.home_place.has_left(sleeper)) return true;
  }
  return !before.home_place.take_back(sleeper);
}

/// Starts `task` and then what `next` finds, without a search in between.
template <class Next>
void start_in_turn(fiber& self, work_item task, Next next) noexcept {
  worker& me = *self.runner;
  do {
    start(self, task);
    if (self.runner != &me || !may_go_on(me)) return;
    me.home.polling().poll_if_due();
    task = next(me);
    if (task.go_on != nullptr) return resume(me, self, *task.go_on);
  } while (task.start != nullptr);
}

/// Of tasks that spawn the next one into a group made outside, trivial ones take 73 ns so, and 103 with a search for
/// each (one worker).
void start_tasks(fiber& self, work_item first) noexcept {
  start_in_turn(self, first, [](worker& me) { return find_at_hand(me); });
}

/// Roots that end within some microseconds follow each other from the worker's own portion: of a million trivial tasks
/// that a thread outside spawns, each takes 74 ns so (80 if the system's clock is read for each), and where each had a
/// search 335 in place of 155 (two workers on two cores). After a longer one work in progress comes first again.
void start_roots(fiber& self, work_item first) noexcept {
  constexpr std::uint64_t short_ticks = detail::look_up_ticks / 2;
  start_in_turn(self, first, [begun = detail::coarse_ticks()](worker& me) mutable {
    const std::uint64_t now = detail::coarse_ticks();
    return now - std::exchange(begun, now) > short_ticks ? work_item{} : next_root(me);
  });
}

/// The first pass takes no time that anybody would miss, and reads no clock: that took 66 of the 155 ns of a task that
/// spawns the next one into a group made outside.
work_item next_work(worker& me) noexcept {
  me.searching_since_ns = 0;
  me.home.polling().poll_if_due();
  me.home_place.open();
  if (const work_item found = find_work(me)) return or_who_came_home(me, found);
  me.waits.start(search_began(me));
  const work_item found = idle_until_work(me);
  me.waits.stop(now_ns());
  return found;
}

void begin(worker& me, fiber& self, const work_item& found) noexcept {
  if (deputy_must_leave(me)) me.home.hand_on_in_domain_of(me, found);
  else if (found.go_on != nullptr) resume(me, self, *found.go_on);
  else if (found.origin == traces::task_origin::injector) start_roots(self, found);
  else start_tasks(self, found);
}

/// Switches back to the thread's own stack, which ends the thread.
[[noreturn]] void leave(worker& self, fiber& loop) noexcept {
  self.present.store(nullptr, seam::memory_order_release);
  self.after = {};
  switch_context(*loop.context, self.thread_stack);
  std::terminate();  // the loop of a stopped worker is never resumed
}

}  // namespace

void fiber_main() noexcept {
  fiber& self = detail::this_fiber();
  self.runner->home.follow(*self.runner);
  complete_switch(*self.runner);
  worker_loop(self);
}

void worker_loop(fiber& self) noexcept {
  for (;;) {
    // A job may have been suspended and have gone on elsewhere, and this loop with it: read each time which worker runs
    // the loop.
    worker& me = *self.runner;
    if (fiber* const sleeper = std::exchange(me.resume_next, nullptr)) {
      hand_on_found(me);
      if (!went_home(me, *sleeper)) resume(me, self, *sleeper);
      continue;
    }
    if (me.found_at_join) {
      begin(me, self, std::exchange(me.found_at_join, {}));
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
    const work_item found = next_work(me);
    me.home.begin_work(me);
    if (found && me.home.polling().lacks_watcher()) me.home.call_watcher(me);
    if (found) begin(me, self, found);
    else if (me.standing_in == nullptr) leave(me, self);
  }
}

}  // namespace nearfork

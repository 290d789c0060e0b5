// The cold half of fork and join (include/nearfork/detail/scheduler.hpp).
#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/short_loop.hpp>
#include <nearfork/detail/tasks/private_fork.hpp>

#include <utility>

#include "runtime/fibers/sanitizers.hpp"
#include "runtime/forks/fork_cancelling.hpp"
#include "runtime/forks/publication.hpp"
#include "runtime/forks/tell_of_push.hpp"
#include "runtime/regions/task_clock.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/find_work.hpp"
#include "runtime/workers/switching.hpp"

namespace nearfork::detail {
namespace {

/// No stack could be had, and nothing else may run on top of this frame. The worker yields until its job is done, or
/// until a spare fiber turns up: fibers that were suspended earlier have stacks of their own.
NEARFORK_COLD void wait_in_place(fiber& self, job& waited) noexcept {
  self.runner->counters.waits_in_place.add();
  while (!waited.done()) {
    worker& me = *self.runner;
    if (fiber* const next = me.home.take_spare(me)) {
      switch_fiber(me, self, *next, {after_switch::act::wait_for_job, &self, &waited});
      return;
    }
    seam::yield();
  }
}

/// True: the job is done. Else `me` has perhaps found other work meanwhile. Most joins wait less than a microsecond,
/// for a thief that began a little later: then the task need not leave its stack. 100 bodies of 73 ns, again and again,
/// take 4.7 us so, and 5.1 with a switch (two workers).
bool ends_soon(worker& me, const job& waited) noexcept {
  constexpr std::uint64_t soon_ticks = look_up_ticks / 2;
  constexpr int looks_at_job = 8;
  me.searching_since_ns = 0;
  const std::uint64_t began = coarse_ticks();
  do {
    for (int i = 0; i < looks_at_job; ++i) {
      if (waited.done()) return true;
      seam::pause();
    }
    me.found_at_join = find_work(me);
  } while (!me.found_at_join && coarse_ticks() - began < soon_ticks);
  return false;
}

void suspend_until_done(fiber& self, job& waited) noexcept {
  worker& me = *self.runner;
  me.counters.suspensions.add();
  fiber* const next = me.home.take_spare(me);
  if (next == nullptr) {
    hand_on_found(me);
    return wait_in_place(self, waited);
  }
  switch_fiber(me, self, *next, {after_switch::act::wait_for_job, &self, &waited});
}

/// `waits`: has the form waits(self, waited), and returns when the job is done.
template <class Waits>
void wait_by(fiber& self, job& waited, const Waits& waits) noexcept {
  if (!waited.done()) {
    task_clock* const measured = stop_clock(self);
    waits(self, waited);
    if (measured != nullptr) start_clock(self, *measured);
  }
  sanitizers::take_over(&waited);
}

/// push_outcome::pushed: `count` jobs may be pushed from `head` on.
push_outcome may_push(fiber& self, slot* head, std::size_t count) noexcept {
  if (must_stop_at(self, head)) return push_outcome::cancelled;
  if (must_run_in_place()) return push_outcome::full;
  if (self.cursor != nullptr) return push_outcome::planned;
  return self.jobs.owner_has_room(head, count) ? push_outcome::pushed : push_outcome::full;
}

/// Pushes the jobs that were written, and shares some.
void show(fiber& self, slot* head, std::size_t count) noexcept {
  tell_of_push(self);
  self.jobs.owner_set_head(head + count);
  self.jobs.owner_raise_limit();  // before publishing: parking.md, private jobs
  sanitizers::hand_over(&self.jobs);
  note_sharing(self);
  self.jobs.owner_publish();
  count_publication(self);
  const bool stays_open = self.runner->coarse.go_on();
  if (stays_open || must_stop_at(self, head)) self.jobs.request();  // [D5]: the next fork stops
}

/// Beyond this join nothing can be stolen.
bool is_oldest(fiber& self, slot* position) noexcept {
  return position == self.jobs.owner_bottom() ||
         (self.jobs.looks_empty() && !self.jobs.owner_has_private(position - 1));
}

/// A worker on a faster core waits for this task. It gets the task if there is nothing for it to steal.
NEARFORK_COLD void offer_task(fiber& self, slot* position) noexcept {
  if (!is_oldest(self, position)) return self.jobs.request();  // the next join is slow, too
  task_clock* const measured = stop_clock(self);
  give_up_task(self);
  if (measured != nullptr) start_clock(self, *measured);
}

}  // namespace

void note_sharing(fiber& self) noexcept {
  self.runner->note({.subject = reinterpret_cast<std::uintptr_t>(&self), .kind = traces::event_kind::shares});
}

void note_sending(worker& me, const job& sent, std::uint32_t domain) noexcept {
  me.note({.subject = reinterpret_cast<std::uintptr_t>(&sent), .number = domain, .kind = traces::event_kind::sends});
}

void count_publication(fiber& self) noexcept {
  worker& me = *self.runner;
  me.counters.publications.add();
  if (me.home.lot().should_notify() && !me.home.lacks_cores()) me.home.notify_one(me.index);  // [P4]
}

push_outcome push_slow() noexcept {
  fiber& self = this_fiber();
  slot* const head = self.jobs.owner_head();
  const push_outcome outcome = may_push(self, head, 1);
  if (outcome == push_outcome::pushed) show(self, head, 1);
  return outcome;
}

push_outcome push_wide_slow(std::span<job* const> pushed) noexcept {
  fiber& self = this_fiber();
  slot* const head = self.jobs.owner_head();
  const push_outcome outcome = may_push(self, head, pushed.size());
  if (outcome != push_outcome::pushed) return outcome;
  for (std::size_t i = 0; i < pushed.size(); ++i) head[i].store(pushed[i], seam::memory_order_relaxed);  // [D1]
  show(self, head, pushed.size());
  return outcome;
}

bool hold_requests_slow() noexcept {
  fiber& self = this_fiber();
  return self.cursor == nullptr && !must_run_in_place() && self.jobs.owner_hold_requests();
}

bool take_back(fiber& self, slot* position) noexcept {
  if (must_run_in_place()) return self.jobs.owner_take_back_alone(position);
  const bool asked = self.jobs.owner_has_private(position);
  sanitizers::hand_over(&self.jobs);
  if (!self.jobs.owner_take_back(position)) return false;
  if (asked && !self.jobs.looks_empty()) {
    note_sharing(self);
    count_publication(self);
  }
  if (self.runner->coarse.go_on()) self.jobs.request();
  if (self.runner->mailbox.is_asked()) [[unlikely]]
    offer_task(self, position);
  return true;
}

bool take_back_or_wait(fiber& self, slot* position, job& waited) noexcept {
  if (take_back(self, position)) return true;
  wait_by(self, waited, [](fiber& waiting, job& stolen) {
    if (!ends_soon(*waiting.runner, stolen)) suspend_until_done(waiting, stolen);
  });
  self.jobs.owner_forget(position);
  self.cancelled_forks.owner_forget(position);
  return false;
}

bool take_youngest_back_or_wait() noexcept {
  fiber& self = this_fiber();
  slot* const position = self.jobs.owner_head();
  return take_back_or_wait(self, position, *position->load(seam::memory_order_relaxed));
}

void wait_for(fiber& self, job& waited) noexcept {
  wait_by(self, waited, suspend_until_done);
}

void push_to_pool(fiber& self, job& pushed) noexcept {
  worker& me = *self.runner;
  note_sending(me, pushed, me.domain);
  me.home.domain_at(me.domain).low.push({.start = &pushed});
  me.home.announce_in_pool(me.domain);
}

}  // namespace nearfork::detail

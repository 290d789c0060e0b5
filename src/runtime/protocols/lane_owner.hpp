// What the owner of a lane does with its jobs, step by step: threads outside do it, and so does the model checker. What
// `around` can do:
//
//     lot()            the parking lot
//     notify_one()     wakes one worker, if one sleeps
//     holds_back()     whether the owner may let those that search wait for more jobs
//     before_push()    called before a job can be taken by force
//     before_share()   called before jobs are shared
//     after_share()    called after that
#pragma once

#include <nearfork/detail/deque.hpp>

namespace nearfork {

using detail::job;
using detail::slot;

namespace lane_steps {

/// Begins at the bottom again where all jobs are stolen.
template <class Deque>
void reuse_slots(Deque& jobs) noexcept {
  if (jobs.owner_lost_all()) jobs.owner_forget(jobs.owner_bottom());
}

/// A worker has asked, or nobody has looked yet whether one sleeps. While the owner holds back, the request stands, and
/// the next push goes this way, too.
template <class Deque, class Around>
bool push_slow(Deque& jobs, job* pushed, Around& around) noexcept {
  reuse_slots(jobs);
  slot* const head = jobs.owner_head();
  if (jobs.owner_full(head)) return false;
  around.before_push();
  jobs.owner_put(head, pushed);
  jobs.owner_set_head(head + 1);
  // [P4] If nobody sleeps, those that search find the job, and those that work will. They see it also while it is
  // private, because the request stands.
  const bool must_wake = around.lot().should_notify();
  if (!must_wake && around.holds_back()) {
    jobs.request();  // the slots that are used again have shown the private part
    return true;
  }
  jobs.owner_raise_limit();  // before publishing: parking.md, private jobs
  around.before_share();
  jobs.owner_publish();
  around.after_share();
  // [P4] once more: while a job becomes shared, it is for a moment neither private and hidden nor shared.
  if (must_wake || around.lot().should_notify()) around.notify_one();
  return true;
}

/// The job in `youngest` was shared, or a worker has asked.
template <class Deque, class Around>
bool take_back(Deque& jobs, slot* youngest, Around& around) noexcept {
  const bool asked = jobs.owner_has_private(youngest);
  around.before_share();
  if (!jobs.owner_take_back(youngest)) {
    reuse_slots(jobs);
    return false;
  }
  around.after_share();
  if (asked && !jobs.looks_empty() && around.lot().should_notify()) around.notify_one();  // [P4]
  return true;
}

}  // namespace lane_steps

/// False: the lane is full.
template <class Deque, class Around>
[[nodiscard]] bool push_in_lane(Deque& jobs, job* pushed, Around& around) noexcept {
  slot* const head = jobs.owner_head();
  if (!jobs.owner_offer(head, pushed)) return lane_steps::push_slow(jobs, pushed, around);
  around.before_push();
  jobs.owner_set_head(head + 1);
  return true;
}

/// The youngest job; nullptr: there is none left.
template <class Deque, class Around>
[[nodiscard]] job* pop_from_lane(Deque& jobs, Around& around) noexcept {
  if (jobs.owner_head() == jobs.owner_bottom()) return nullptr;
  slot* const youngest = jobs.owner_head() - 1;
  if (!jobs.owner_pop(youngest) && !lane_steps::take_back(jobs, youngest, around)) return nullptr;
  return youngest->load(detail::seam::memory_order_relaxed);
}

/// The owner is about to be busy with something else: what it has left can be taken without a word from it.
template <class Deque, class Around>
void open_lane(Deque& jobs, Around& around) noexcept {
  slot* const head = jobs.owner_head();
  if (head == jobs.owner_bottom() || !jobs.owner_has_private(head - 1)) return;
  around.before_share();
  jobs.owner_publish_all();
  if (around.lot().should_notify()) around.notify_one();  // [P4]
}

}  // namespace nearfork

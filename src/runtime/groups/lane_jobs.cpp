#include "runtime/groups/lane_jobs.hpp"

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/short_loop.hpp>

#include "base/sanitizer_calls.hpp"

namespace nearfork::detail {
namespace {

void tell_of_shared(crew& home) noexcept {
  if (home.lot().should_notify()) home.notify_one_near_caller();  // [P4]
}

/// Begins at the bottom again where all jobs are stolen.
void reuse_slots(deque& jobs) noexcept {
  if (jobs.owner_lost_all()) jobs.owner_forget(jobs.owner_bottom());
}

/// Some jobs for a worker at a time: where the worker was as quick as the spawner, each came alone, and took 0.3 us.
/// Whoever spawns seldom shares at once.
bool waits_for_more(const outside_lane& own) noexcept {
  constexpr std::size_t some = 8;
  constexpr std::uint64_t soon_ticks = look_up_ticks / 4;
  return own.jobs.owner_private_count() < some && coarse_ticks() - own.shared_at < soon_ticks;
}

void share(outside_lane& own) noexcept {
  own.jobs.owner_raise_limit();  // before publishing: parking.md, private jobs
  sanitizers::hand_over(&own.jobs);
  own.jobs.owner_publish();
  own.shared_at = coarse_ticks();
  if (own.coarse.go_on()) own.jobs.request();
}

/// A worker has asked, or nobody has looked yet whether one sleeps. The request stands until it is answered, so this is
/// the way of the next push, too.
bool push_slow(crew& home, outside_lane& own, job& pushed) noexcept {
  deque& jobs = own.jobs;
  reuse_slots(jobs);
  slot* const head = jobs.owner_head();
  if (jobs.owner_full(head)) return false;
  sanitizers::hand_over(jobs.pushed_address());
  jobs.owner_put(head, &pushed);
  jobs.owner_set_head(head + 1);
  const bool all_sleep = home.lot().should_notify();  // [P4]; else a searcher sees the job, also if it is private
  if (!all_sleep && waits_for_more(own)) return true;
  share(own);
  if (all_sleep) home.notify_one_near_caller();
  return true;
}

}  // namespace

outside_lane* claim_lane(crew& home) noexcept {
  outside_lane* const own = home.lanes().claim();
  if (own != nullptr) own->shared_at = coarse_ticks();
  return own;
}

bool push_in_lane(crew& home, outside_lane& own, job& pushed) noexcept {
  deque& jobs = own.jobs;
  slot* const head = jobs.owner_head();
  if (!jobs.owner_offer(head, &pushed)) return push_slow(home, own, pushed);
  sanitizers::hand_over(jobs.pushed_address());
  jobs.owner_set_head(head + 1);
  return true;
}

job* pop_from_lane(crew& home, outside_lane& own) noexcept {
  deque& jobs = own.jobs;
  if (jobs.owner_head() == jobs.owner_bottom()) return nullptr;
  slot* const youngest = jobs.owner_head() - 1;
  if (!jobs.owner_pop(youngest)) {
    const bool asked = jobs.owner_has_private(youngest);
    sanitizers::hand_over(&jobs);
    if (!jobs.owner_take_back(youngest)) {
      reuse_slots(jobs);
      return nullptr;
    }
    if (asked && !jobs.looks_empty()) tell_of_shared(home);
    if (own.coarse.go_on()) jobs.request();
  }
  return youngest->load(seam::memory_order_relaxed);
}

void open_lane(crew& home, outside_lane& own) noexcept {
  slot* const head = own.jobs.owner_head();
  if (head == own.jobs.owner_bottom() || !own.jobs.owner_has_private(head - 1)) return;
  sanitizers::hand_over(&own.jobs);
  own.jobs.owner_publish_all();
  tell_of_shared(home);
}

}  // namespace nearfork::detail

#include "runtime/groups/lane_jobs.hpp"

#include <algorithm>

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/short_loop.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/protocols/lane_owner.hpp"
#include "runtime/workers/deputy.hpp"

namespace nearfork::detail {
namespace {

class lane_owner {
 public:
  lane_owner(crew& home, outside_lane& own) noexcept : home_(home), own_(own) {}

  [[nodiscard]] parking_lot& lot() noexcept { return home_.lot(); }
  void notify_one() noexcept { home_.notify_one_near_caller(); }
  /// Some jobs for a worker at a time: where the worker was as quick as the spawner, each came alone, and took 0.3 us.
  /// And not before a worker that has just run tasks of the group before can search again: another one was woken in its
  /// place. Groups of 16 tasks of 2 us, one after the other: 26 us with the eighth job or after 0.6 us, 18 so; of 64
  /// tasks of 0.5 us 27 and 20. Whoever spawns seldom shares at once.
  [[nodiscard]] bool holds_back() const noexcept {
    constexpr std::size_t some = 64;
    constexpr std::uint64_t soon_ticks = look_up_ticks;
    return own_.jobs.owner_private_count() < some && coarse_ticks() - own_.shared_at < soon_ticks;
  }
  void before_push() noexcept { sanitizers::hand_over(own_.jobs.pushed_address()); }
  void before_share() noexcept { sanitizers::hand_over(&own_.jobs); }
  void after_share() noexcept {
    own_.shared_at = coarse_ticks();
    if (own_.coarse.go_on()) own_.jobs.request();
  }

 private:
  crew& home_;
  outside_lane& own_;
};

/// About 10 us: as long as a worker takes to wake up.
constexpr std::uint64_t least_ticks_to_open = 4 * look_up_ticks;

/// A thread that keeps a place has a core as it is.
void begin_spawning(crew& home) noexcept {
  spawning_threads& spawners = home.spawners();
  if (!spawners.join() || !home.may_keep_asleep() || keeps_place()) return;
  if (home.lane_watcher().try_begin()) spawners.rely_on_watcher();
}

/// What the thread pushes from now on lies in another lane: so nothing would answer those that ask for what lies in the
/// lanes around it until they are waited for. A recursion's first task, which is half of its work, stayed with the
/// thread. A binary recursion with 64 leaves of 1 us: 52 us, and 44 so.
void share_lanes_around(crew& home, outside_lane& own) noexcept {
  const void* const here = this_thread_address();
  (void)home.lanes().any_of([&](outside_lane& one) {
    if (one.thread.load(seam::memory_order_relaxed) == here) open_lane(home, one);
    return false;
  });
  own.thread.store(here, seam::memory_order_relaxed);
}

}  // namespace

outside_lane* claim_lane(crew& home, const group_job& first) noexcept {
  outside_lane* const own = home.lanes().claim([&](outside_lane& lane) {
    lone_group& group = lane.group;
    group.code = first.code();
    const short_loop_trial& trial = group.seen.of(group.code, 1);
    group.most_ticks = std::max(trial.most_ticks(), least_ticks_to_open);
    return group.alone = trial.runs_alone() && home.lane_watcher().try_begin();
  });
  if (own == nullptr) return nullptr;
  own->shared_at = own->group.began = coarse_ticks();
  own->found_full = 0;
  own->catching_up = {};  // the last group's tasks may have been slow
  begin_spawning(home);
  share_lanes_around(home, *own);
  return own;
}

void give_back_lane(crew& home, outside_lane& own) noexcept {
  lone_group& group = own.group;
  short_loop_trial* const seen = group.seen.find(group.code, 1);
  if (seen != nullptr && seen->runs_alone() == group.alone) {
    const bool opened = group.alone && !own.hidden.load(seam::memory_order_relaxed);
    if (opened) seen->opened();
    else seen->ended(seen->is_timed() ? coarse_ticks() - group.began : 0, longest_alone_ticks);
  }
  const bool was_alone = group.alone;
  own.thread.store(nullptr, seam::memory_order_relaxed);
  home.lanes().give_back(own);  // another thread may have it now
  home.end_spawning(home.spawners().leave());
  if (was_alone) home.lane_watcher().end();
}

bool push_in_lane(crew& home, outside_lane& own, job& pushed) noexcept {
  lane_owner around(home, own);
  const auto has_room = [&] { return nearfork::push_in_lane(own.jobs, &pushed, around); };
  if (has_room()) [[likely]]
    return true;
  if (!own.catching_up.is_due(++own.found_full)) return false;
  open_lane(home, own);
  const bool caught_up =
      catch_up::wait([&]() -> catch_up::progress { return {has_room(), deque_capacity - own.jobs.owner_count()}; });
  own.catching_up.ended(own.found_full, caught_up);
  return caught_up;
}

job* pop_from_lane(crew& home, outside_lane& own) noexcept {
  lane_owner around(home, own);
  return nearfork::pop_from_lane(own.jobs, around);
}

void open_if_slow(crew& home, outside_lane& own) noexcept {
  if (own.group.alone && coarse_ticks() - own.group.began > own.group.most_ticks) open_lane(home, own);
}

void open_lane(crew& home, outside_lane& own) noexcept {
  (void)home.lanes().show(own);
  lane_owner around(home, own);
  nearfork::open_lane(own.jobs, around);
}

}  // namespace nearfork::detail

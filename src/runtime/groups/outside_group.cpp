// What a thread outside workers does with a group: it pushes the tasks into a lane, and waits for them in a call.
#include <nearfork/task_group.hpp>

#include "base/soon.hpp"
#include "base/threads/patience.hpp"
#include "runtime/forks/root_job.hpp"
#include "runtime/groups/lane_jobs.hpp"
#include "runtime/groups/started_jobs.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/deputy.hpp"

namespace nearfork {

void task_group::push_outside(detail::task_owner task) {
  crew& home = runtime_of_tasks();
  outside_lane* const own = lane_of_caller(home, *task);
  count_elsewhere(home);
  try {
    if (own == nullptr || !detail::push_in_lane(home, *own, *task)) home.inject(*task);
  } catch (...) {
    end_unpushed(home);
    throw;
  }
  (void)task.release();  // it may be gone
}

/// For the thread that has made the group, because that thread waits for what is in the lane. nullptr: the task belongs
/// in the injector.
outside_lane* task_group::lane_of_caller(crew& home, const detail::group_job& first) {
  if (home_ != nullptr || outside_.thread != detail::this_thread_address()) return nullptr;
  if (!home.entrance().is_open() || !home.is_of_this_process()) return nullptr;  // the injector says so
  if (has_lane()) return outside_.lane;
  if (!home.fences().can_force_guests() || home.pins_waits() || home.recorder() != nullptr) return nullptr;
  const crew::visit now(home);
  outside_.lane = detail::claim_lane(home, first);
  if (outside_.lane != nullptr) pushed_ = in_lane;
  return outside_.lane;
}

void task_group::give_back_lane() noexcept {
  detail::give_back_lane(runtime_of_tasks(), *outside_.lane);
  pushed_ = 0;
}

/// In the call that waits for the group's thread. The last task that ends finishes all_done_, and is perhaps one of
/// these. What is left when the worker has something else to do first can be had by all. A deputy goes on, also beside
/// other calls: it runs tasks of its own call. (Four threads on two cores with groups of four trivial tasks: 3.8 us a
/// group so, and 8.7 where each left its place after the first task.)
void task_group::run_lane(fiber& self) noexcept {
  crew& home = runtime_of_tasks();
  seam::atomic<outside_lane*>& shown = self.runner->lane;
  shown.store(outside_.lane, seam::memory_order_release);  // a thief finds the lane as it was made
  while (detail::job* const youngest = detail::pop_from_lane(home, *outside_.lane)) {
    self.runner->counters.roots.add();
    start_unsettled(self, *youngest);
    if (self.runner->resume_next != nullptr) {
      detail::open_lane(home, *outside_.lane);
      break;
    }
    detail::open_if_slow(home, *outside_.lane);
    self.runner->home.polling().poll_if_due();
  }
  shown.store(nullptr, seam::memory_order_relaxed);
  settle(self);
  self.base.parent = nullptr;  // as when the call began
}

/// Where the runtime refuses the call, the program ends: the frame must not go on while tasks use it.
void task_group::wait_for_others() noexcept {  // NOLINT(bugprone-exception-escape)
  if (detail::thread_mark()) return wait_for_rest(detail::this_fiber());
  // The group was made outside any worker: no deque has its tasks, and a worker waits for the caller.
  crew& home = runtime_of_tasks();
  const auto finds_place = [&] { return may_find_place(home); };
  if (has_lane() && !finds_place()) detail::open_lane(home, *outside_.lane);
  // Where all workers are awake, two trivial tasks take 1 us so, and 9 to 14 if this thread sleeps (one worker).
  if (happens_soon([this] { return !has_tasks_elsewhere(); }, finds_place)) return;
  // With tasks that nobody runs, or with none that could be run.
  const auto may_leave = [](void* data) noexcept {
    const auto& group = *static_cast<const task_group*>(data);
    if (!group.has_lane()) return true;
    const auto left = static_cast<std::int64_t>(group.outside_.lane->jobs.owner_count());
    return left == 0 || group.elsewhere_.approx_count() <= left;
  };
  const auto wait = [](void* group) { static_cast<task_group*>(group)->wait_for_rest(detail::this_fiber()); };
  with_patience("wait for a group", [&] {
    detail::call_from_outside(home, {wait, this}, {__builtin_FILE(), __builtin_LINE()},
                              {.may_take = places::of_woken, .may_leave = may_leave});
  });
}

}  // namespace nearfork

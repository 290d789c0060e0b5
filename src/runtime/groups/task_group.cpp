#include <nearfork/task_group.hpp>

#include <nearfork/detail/scheduler.hpp>
#include <nearfork/runtime.hpp>

#include "runtime/fibers/sanitizers.hpp"
#include "runtime/forks/fork_cancelling.hpp"
#include "runtime/forks/given_jobs.hpp"
#include "runtime/forks/tell_of_push.hpp"
#include "runtime/forks/traced_task.hpp"
#include "runtime/groups/loose_jobs.hpp"
#include "runtime/regions/tree_cursor.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

/// While this lives, the task runs unplanned, even if the frame that syncs is planned.
class no_cursor {
 public:
  explicit no_cursor(fiber& self) noexcept : self_(self), kept_(std::exchange(self.cursor, nullptr)) {}
  ~no_cursor() {
    self_.cursor = kept_;
    if (kept_ != nullptr) self_.jobs.request();
  }
  no_cursor(const no_cursor&) = delete;
  no_cursor& operator=(const no_cursor&) = delete;

 private:
  fiber& self_;
  detail::tree_cursor* kept_;
};

}  // namespace

namespace detail {

/// A task of a group that is recorded as a child of the task that spawned it: after the stretch in which it was
/// spawned.
class recorded_task final : public task_of_group<recorded_task> {
 public:
  recorded_task(task_group& group, task_owner task, const noted_place& at, std::shared_ptr<iteration_log> log)
      : task_of_group(group), task_(std::move(task)), cursor_{.clock = {.at = at}}, log_(std::move(log)) {}

  void call_here() {
    const std::unique_ptr<recorded_task> ended(this);
    const measuring now(cursor_);
    const traced_task traced(*this_fiber().runner, this, traces::task_origin::spawned);
    task_.release()->call();
  }
  void drop_here() noexcept { delete this; }

 private:
  /// Ends measuring also when the task throws.
  class measuring {
   public:
    explicit measuring(tree_cursor& task) noexcept {
      fiber& self = this_fiber();
      self.cursor = &task;
      self.jobs.request();
      start_clock(self, task.clock);
    }
    ~measuring() {
      fiber& self = this_fiber();
      (void)stop_clock(self);
      self.cursor = nullptr;
    }
    measuring(const measuring&) = delete;
    measuring& operator=(const measuring&) = delete;
  };

  friend struct std::default_delete<recorded_task>;
  ~recorded_task() { log_->end_loose_task(); }

  task_owner task_;
  tree_cursor cursor_;
  std::shared_ptr<iteration_log> log_;
};

namespace {

/// If the task that runs on `self` is recorded: a job that records the spawned `task`. Else `task` itself.
task_owner recorded_child(fiber& self, const crew& home, task_group& group, task_owner task) {
  tree_cursor* const spawner = self.cursor;
  if (spawner == nullptr || !spawner->clock.measured() || !spawner->clock.at.log->records()) return task;
  // Each runtime records its own tasks.
  if (&self.runner->home != &home) return task;
  noted_place& at = spawner->clock.at;
  const std::uint32_t child = at.log->note_spawn(self.runner->index, at);
  if (child == 0) return task;
  at.has_spawned = true;
  auto log = at.log->shared_from_this();
  log->add_loose_task();
  return task_owner(new recorded_task(group, std::move(task), {.log = at.log, .task = child}, std::move(log)));
}

/// After a sync() the task that spawned begins another stretch. nullptr: the task is not recorded, or spawned nothing.
task_clock* end_spawning_stretch(fiber& self) {
  task_clock* const spawner = self.on_the_clock;
  if (spawner == nullptr || !spawner->at.has_spawned) return nullptr;
  (void)stop_clock(self);
  spawner->at.begin_next_stretch();
  return spawner;
}

}  // namespace

/// Runs when a worker has taken the job from a deque or a pool. The worker settles the account (started_jobs.cpp).
void group_job::execute(job& self) noexcept {
  task_owner me(&static_cast<group_job&>(self));
  task_group& group = *me->group_;
  fiber& here = this_fiber();
  here.stolen_from = {};
  here.base.parent = &group.scope_;
  here.account.group = &group;
  group.run_task(std::move(me));
  --here.account.balance;
}

void group_job::settle_account(fiber& self) noexcept {
  const group_account kept = std::exchange(self.account, {});
  task_group& group = *kept.group;
  crew& ran_in = self.runner->home;
  crew& called = ran_in.relieves() ? group.runtime_of_tasks() : ran_in;
  resume_waiter(group.end_elsewhere(called, kept));
}

}  // namespace detail

void task_group::never_called(detail::job&) {
  std::terminate();
}

/// Made on a worker of another runtime, the group is cancelled with the task that made it, but has no deque.
task_group::task_group(runtime& home, cancellation_token token) noexcept : task_group(std::move(token)) {
  if (home_ == nullptr || &home_->runner->home != &home.implementation_crew()) bind(&home);
}

void task_group::bind(runtime* home) noexcept {
  home_ = nullptr;
  bound_ = home;
  outside_.thread = detail::thread_mark() ? nullptr : detail::this_thread_address();
}

void task_group::end() noexcept {
  end_tasks();
  if (scope_.cancelled.load(seam::memory_order_relaxed)) forget_failure();
  if (scope_.token != nullptr) std::destroy_at(&token_);
}

void task_group::end_tasks() noexcept {
  if (has_tasks() && std::uncaught_exceptions() > 0) cancel();
  if (!has_jobs_at_home() || !run_own_tasks() || has_tasks_elsewhere()) return sync_quietly();
  sanitizers::take_over(&elsewhere_);
}

/// A task that failed has cancelled the group.
void task_group::forget_failure() noexcept {
  detail::forget_cancellation(scope_);
  if (failed_.exchange(false, seam::memory_order_relaxed)) std::destroy_at(&failure_);
}

void task_group::hand_over(detail::task_owner task) {
  if (detail::thread_mark() && push_on_account(detail::this_fiber(), task)) return;
  begin_above_loose();
  if (fiber* const self = fiber_at_home()) push_at_home(*self, std::move(task));
  else if (detail::thread_mark()) push_elsewhere(std::move(task));
  else push_outside(std::move(task));
}

/// Loose jobs may have come to lie where the group's jobs would begin; no frame has a job above them then.
void task_group::begin_above_loose() noexcept {
  if (!detail::thread_mark()) return;
  fiber& self = detail::this_fiber();
  if (&self != home_ || has_jobs_at_home()) return;  // other threads must not read pushed_
  if (self.jobs.owner_head() == self.loose_end) first_ = self.loose_end;
}

void task_group::push_at_home(fiber& self, detail::task_owner task) {
  detail::slot* const head = self.jobs.owner_head();
  if (!self.jobs.owner_offer(head, task.get())) {
    const detail::push_outcome outcome = detail::push_slow();
    if (outcome == detail::push_outcome::full) return push_beyond_deque(self, std::move(task));
    if (outcome == detail::push_outcome::planned) return push_elsewhere(std::move(task));
    if (outcome == detail::push_outcome::cancelled) return;  // sync() says so
  }
  (void)task.release();  // the deque owns it
  detail::tell_of_push(self);
  count_push(self, head);
}

/// From a task of this group on another fiber, whose account has it.
bool task_group::push_on_account(fiber& self, detail::task_owner& task) noexcept {
  detail::group_account& account = self.account;
  if (account.group != this || &self == home_ || self.forks_are_seen()) return false;
  shield_if_unwinding();
  if (!std::exchange(account.is_open, true)) elsewhere_.open_account();
  if (!detail::push_loose(self, *task)) return false;
  ++account.balance;
  (void)task.release();  // it may be gone
  return true;
}

void task_group::push_elsewhere(detail::task_owner task) {
  crew& home = runtime_of_tasks();
  fiber& self = detail::this_fiber();
  shield_if_unwinding();
  task = detail::recorded_child(self, home, *this, std::move(task));
  count_elsewhere(home);
  try {
    if (!self.runner->home.works_for(home)) home.inject(*task);
    else if (!detail::push_loose(self, *task)) detail::push_to_pool(self, *task);
  } catch (...) {
    end_unpushed(home);
    throw;
  }
  (void)task.release();  // it may be gone
}

/// A task that could not be pushed.
void task_group::end_unpushed(crew& home) {
  if (fiber* const waiter = end_elsewhere(home, {.balance = -1})) waiter->runner->home.make_ready(*waiter);
}

/// A group that was made outside its runtime is a call while it has tasks, from before the first one can run: a deputy
/// that has another call must not run them (deputy.hpp).
void task_group::count_elsewhere(crew& home) noexcept {
  if (home_ != nullptr) return elsewhere_.add(1);
  while (!elsewhere_.try_join()) {
    home.begin_unwaited_call();
    if (elsewhere_.try_begin()) return;
    home.end_unwaited_call();
  }
}

/// Returns the fiber that waits for the last of these ends. Else the group may be gone.
fiber* task_group::end_elsewhere(crew& home, const detail::group_account& ended) noexcept {
  const bool is_call = home_ == nullptr;
  sanitizers::hand_over(&elsewhere_);
  const auto end = elsewhere_.settle(ended);
  if (end == detail::tasks_elsewhere::end::of_all && is_call) home.end_unwaited_call();
  return end == detail::tasks_elsewhere::end::of_waiting ? all_done_.finish() : nullptr;
}

/// The fiber of the frame that made the group may be changing workers just now, so its runner must not be read here.
crew& task_group::runtime_of_tasks() const {
  if (home_ != nullptr) return *home_->context->home;
  return (bound_ != nullptr ? *bound_ : process_runtime()).implementation_crew();
}

void task_group::run_in_place(detail::task_owner task) noexcept {
  shield_if_unwinding();
  const detail::open_scope here(scope_);
  run_task(std::move(task));
}

/// In a destructor that an exception runs, what is cancelled around the group does not reach its tasks, wherever they
/// run.
void task_group::shield_if_unwinding() noexcept {
  if (detail::must_run_in_place()) detail::shield(scope_);
}

/// In the group's scope.
void task_group::run_task(detail::task_owner task) noexcept {
  if (!detail::must_stop(&scope_)) call(std::move(task));
}

void task_group::call(detail::task_owner task) noexcept {
  try {
    task.release()->call();
  } catch (...) {
    fail();
  }
}

/// An exception that only tells of a cancellation is no failure of its own.
void task_group::fail() noexcept {
  if (detail::handles_cancelled() && detail::must_stop(&scope_)) return;
  cancel();
  // Relaxed: failure_ is read after elsewhere_ has said that all are done.
  if (!failed_.exchange(true, seam::memory_order_relaxed)) std::construct_at(&failure_, std::current_exception());
}

void task_group::run_youngest(fiber& self, detail::slot* youngest) noexcept {
  auto* const taken = static_cast<detail::group_job*>(youngest->load(seam::memory_order_relaxed));
  task_group& owner = *taken->group_;  // this group, or one that was interleaved with it
  --owner.pushed_;
  const no_cursor unplanned(self);
  shield_if_unwinding();
  if (&owner == this) run_task(detail::task_owner(taken));
  else owner.run_in_place(detail::task_owner(taken));
}

/// The youngest job of the deque, below `head`, was stolen, so all jobs are. This group's own are counted here; a group
/// with jobs above them counts its own in its own sync(). Such a group may be unfinished when this one is done, and its
/// tasks still be in the cells. Then the slots are not used again until the frame returns. Returns whether they may be
/// used when this group is done.
bool task_group::count_stolen(const detail::slot* head) noexcept {
  const bool all_its_own = is_at_top(head);
  elsewhere_.add(static_cast<std::int64_t>(std::exchange(pushed_, 0)));
  return all_its_own;
}

bool task_group::run_own_tasks() noexcept {
  if (home_ == nullptr) return false;
  fiber& self = *home_;
  if (may_not_run_own(self)) return false;
  detail::slot* head = self.jobs.owner_head();
  const detail::scope_of_tasks here(scope_, first_);
  while (is_at_top(head)) {
    detail::slot* const youngest = head - 1;
    if (!self.jobs.owner_pop(youngest)) {
      self.jobs.owner_set_head(head);
      return false;
    }
    --pushed_;
    call_own(youngest);
    if (!has_jobs_at_home()) return true;
    if (may_not_run_own(self)) return false;
    head = self.jobs.owner_head();
  }
  return false;
}

bool task_group::drain(fiber& self) noexcept {
  if (run_own_tasks()) return false;
  const detail::scope_of_tasks here(scope_, first_);
  while (has_jobs_at_home()) {
    detail::slot* const youngest = self.jobs.owner_head() - 1;
    if (self.jobs.owner_pop(youngest) || detail::take_back(self, youngest)) {
      run_youngest(self, youngest);
    } else {
      self.jobs.owner_set_head(youngest + 1);  // the slot is not free yet, see count_stolen()
      return count_stolen(youngest + 1);
    }
  }
  return false;
}

void task_group::sync_quietly() noexcept {
  const bool reuse_slots = home_ != nullptr && has_jobs_at_home() && drain(*home_);
  detail::task_clock* const spawner =
      detail::thread_mark() ? detail::end_spawning_stretch(detail::this_fiber()) : nullptr;
  if (has_tasks_elsewhere()) wait_for_others();
  if (has_lane()) give_back_lane();
  if (spawner != nullptr) start_clock(detail::this_fiber(), *spawner);
  sanitizers::take_over(&elsewhere_);
  if (reuse_slots) home_->jobs.owner_forget(first_);
  scope_.shielded.store(false, seam::memory_order_relaxed);
  if (home_ != nullptr) first_ = home_->jobs.owner_head();
}

void task_group::wait_for_rest(fiber& self) noexcept {
  std::construct_at(&all_done_, detail::kind_of<&never_called>);
  if (!elsewhere_.begin_wait()) return;
  crew* const called = home_ == nullptr ? &runtime_of_tasks() : nullptr;
  const bool waits_in_call = called == &self.runner->home;
  if (waits_in_call) called->end_unwaited_call();
  if (has_lane()) run_lane(self);
  detail::wait_for_outside(self, all_done_);
  if (called != nullptr && !waits_in_call) called->end_unwaited_call();
}

/// A task that failed has cancelled the group. A scope or a fork around the group may be cancelled instead.
void task_group::end_cancellation() {
  const std::exception_ptr failure = failed_.load(seam::memory_order_relaxed) ? failure_ : nullptr;
  forget_failure();
  if (failure != nullptr) detail::rethrow_failure(failure);
  if (!detail::is_cancelled_around(scope_)) return;
  // In a destructor that an exception runs, the tasks have run nevertheless.
  if (!detail::must_run_in_place()) detail::throw_cancelled();
}

}  // namespace nearfork

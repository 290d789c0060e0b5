#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>
#include <nearfork/detail/stack_job.hpp>

namespace nearfork {

class crew;
class task_group;

namespace detail {

/// A task of a group: in the cell of its deque's slot, or on the heap.
class group_job : public job {
 public:
  /// Calls it, and ends it whether or not that throws.
  virtual void call() = 0;
  /// Ends it uncalled.
  virtual void drop() noexcept = 0;

 protected:
  explicit group_job(task_group& group) noexcept : job(&execute), group_(&group) {}
  ~group_job() = default;

 private:
  static void execute(job& self) noexcept;
  friend class nearfork::task_group;
  task_group* group_;
};

struct drop_task {
  void operator()(group_job* task) const noexcept { task->drop(); }
};
using task_owner = std::unique_ptr<group_job, drop_task>;

template <class F>
class heap_task final : public group_job {
 public:
  template <class From>
  heap_task(task_group& group, From&& f) : group_job(group), f_(std::forward<From>(f)) {}
  void call() override {
    const std::unique_ptr<heap_task> ended(this);
    detail::call(f_);
  }
  void drop() noexcept override { delete this; }

 private:
  F f_;
};

template <class F>
class cell_task final : public group_job {
 public:
  static constexpr bool fits = sizeof(F) + sizeof(group_job) <= sizeof(task_cell) && alignof(F) <= alignof(void*) &&
                               std::is_nothrow_move_constructible_v<F>;
  template <class From>
  cell_task(task_group& group, From&& f) : group_job(group), f_(std::forward<From>(f)) {}
  /// From the caller's frame: the cell is free as soon as the task runs, since its slot is.
  void call() override {
    F f(std::move(f_));
    drop();
    detail::call(f);
  }
  void drop() noexcept override { this->~cell_task(); }

 private:
  F f_;
};

}  // namespace detail

/// Any number of tasks, spawned one by one, also by each other and from other threads, and waited for together.
///
/// Spawn pushes onto the caller's deque where the group was made, as a fork does, and hands the task to the domain's pool
/// elsewhere. It allocates there, for closures of more than 32 bytes, and while a thief asks for work. Where the
/// deque is full the task runs at once.
///
/// A group belongs to the runtime in which it was made, or, made outside workers, to the process's: its tasks run there, whoever
/// spawns them. A task that throws cancels the group. Cancelling a group reaches what its tasks began: loops, forks and groups inside
/// them stop (cancellation.hpp).
/// Thread-safety: spawn() and cancel() from the frame that made the group, from its tasks, and
/// from other threads while that frame keeps it alive; sync() and the destructor from that frame alone.
class task_group {
 public:
  /// `token`: cancels the group, too.
  explicit task_group(cancellation_token token = {}) noexcept
      : home_(detail::inside_worker ? &detail::this_fiber() : nullptr),
        first_(home_ != nullptr ? home_->jobs.owner_head() : nullptr),
        next_(first_),
        token_(std::move(token)) {
    if (home_ != nullptr) {
      scope_.parent = home_->scope;
      scope_.on = home_;
      scope_.from = static_cast<std::uint32_t>(home_->jobs.owner_index(first_));
    }
    if (token_.can_cancel()) scope_.token = &token_;
  }
  /// Waits like sync(). Exceptions that no sync() asked for are dropped. Destroyed by an exception, it first cancels the tasks
  /// that are not done.
  ~task_group() {
    if (has_tasks()) {
      if (std::uncaught_exceptions() > 0) cancel();
      sync_quietly();
    }
    detail::forget_cancellation(scope_);
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Lets f run once, now or later, here or elsewhere: a copy of it, or f itself moved. Skipped if the group is cancelled.
  /// Throws: std::bad_alloc, and what copying or moving f throws; outside workers nearfork::error as run() does.
  template <class F>
  void spawn(F&& f) {
    if (scope_.cancelled.load(detail::seam::memory_order_relaxed)) return;
    using small_task = detail::cell_task<std::decay_t<F>>;
    if constexpr (small_task::fits) {
      if (detail::fiber* const self = fiber_at_home()) {
        detail::slot* const head = self->jobs.owner_head();
        if (self->jobs.owner_may_push(head)) {
          auto* const made = ::new (self->cell_of(head).bytes) small_task(*this, std::forward<F>(f));
          (void)self->jobs.owner_offer(head, made);  // a request that came just now is for the next push
          count_push(*self, head);
          return;
        }
      }
    }
    hand_over(detail::task_owner(new detail::heap_task<std::decay_t<F>>(*this, std::forward<F>(f))));
  }

  /// Returns when all tasks are done, those spawned meanwhile included. May run tasks that this frame spawned, also
  /// into other groups. Afterwards the group is as new.
  /// Throws: the first exception of a task; it cancels the rest. nearfork::cancelled where the task around the group is cancelled.
  void sync() {
    sync_quietly();
    if (detail::cancellations.load(detail::seam::memory_order_relaxed) != 0) [[unlikely]]
      end_cancellation();
  }

  /// Tasks that have not started are skipped, those that run are told; sync() makes the group usable again. Any thread.
  void cancel() noexcept { detail::cancel(scope_); }
  /// True after cancel() or a task's exception until sync(), and once the group's token says so.
  [[nodiscard]] bool cancelled() const noexcept {
    return scope_.cancelled.load(detail::seam::memory_order_relaxed) || token_.cancelled();
  }

 private:
  friend class detail::group_job;

  /// Never run: the group's waiter sleeps on it, the last task finishes it.
  static void never_called(detail::job&);

  /// Jobs must lie in the deque as frames nest: a job left above a join's slot would be taken for that join's. So only
  /// the place right above this group's own jobs, or above its frame's, will do. nullptr: this is another place.
  [[nodiscard]] detail::fiber* fiber_at_home() const noexcept {
    if (!detail::inside_worker) return nullptr;
    detail::fiber& self = detail::this_fiber();
    if (&self != home_ || self.jobs.owner_head() != next_) return nullptr;
    return in_deque_ == 0 || self.youngest_group == this ? &self : nullptr;
  }
  void count_push(detail::fiber& self, detail::slot* head) noexcept {
    self.jobs.owner_set_head(head + 1);
    if (in_deque_++ == 0) {
      first_ = head;
      older_ = std::exchange(self.youngest_group, this);
    }
    next_ = head + 1;
  }

  void hand_over(detail::task_owner task);
  void push_at_home(detail::fiber& self, detail::task_owner task);
  void push_to_pool_from_home(detail::fiber& self, detail::task_owner task);
  void push_elsewhere(detail::task_owner task);
  void run_task(detail::task_owner task) noexcept;
  void run_in_place(detail::task_owner task) noexcept;
  void drain(detail::fiber& self) noexcept;
  void run_youngest(detail::fiber& self, detail::slot* youngest) noexcept;
  void count_stolen(detail::fiber& self) noexcept;
  void unlink(detail::fiber& self) noexcept;
  void wait_for_rest(detail::fiber& self) noexcept;
  [[nodiscard]] bool has_tasks() const noexcept {
    return in_deque_ > 0 || stolen_ > 0 || outstanding_.load(detail::seam::memory_order_relaxed) != not_waiting;
  }
  [[nodiscard]] crew& runtime_of_tasks() const;
  void sync_quietly() noexcept {
    if (in_deque_ > 0) drain(*home_);
    // Acquire: what the tasks did that ended elsewhere. With nothing stolen and the count unmoved, all have.
    if (stolen_ > 0 || outstanding_.load(detail::seam::memory_order_acquire) != not_waiting) wait_for_others();
    else if (home_ != nullptr) next_ = home_->jobs.owner_head();
  }
  void wait_for_others() noexcept;
  void end_cancellation();
  void finish_elsewhere() noexcept;

  // The frame that made the group.
  detail::fiber* home_;         // nullptr: made outside any worker
  detail::slot* first_;         // where its first job went or will go
  detail::slot* next_;          // head after its last push
  std::uint32_t in_deque_ = 0;  // pushed at home, and neither taken back nor known to be stolen
  std::uint32_t stolen_ = 0;
  bool reuse_slots_ = false;     // all that lay in the deque from first_ on was this group's and stolen
  task_group* older_ = nullptr;  // groups of this fiber with jobs in its deque, youngest first

  // Everybody. Tasks that ended elsewhere count down, sync() and spawns elsewhere count up; biased while no
  // sync() waits, so that it is zero only when the waiter may go on.
  static constexpr std::int64_t not_waiting = std::int64_t{1} << 40;
  detail::seam::atomic<std::int64_t> outstanding_{not_waiting};
  detail::job all_done_{&never_called};
  detail::cancel_scope scope_;  // of its tasks
  cancellation_token token_;
  detail::seam::atomic<bool> failed_{false};
  std::exception_ptr failure_;  // written by the one that set failed_, read after all are done
};

}  // namespace nearfork

#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>
#include <nearfork/detail/registers.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/detail/tasks/group_task.hpp>
#include <nearfork/detail/tasks/tasks_elsewhere.hpp>

namespace nearfork {

class crew;
class runtime;
class task_group;
struct outside_lane;

namespace detail {

/// Lives while a group's tasks run on the fiber that made the group, in the slots from the group's first one on. The
/// frame that made the group is the one that waits, so the scope around the group is the innermost open one again. The
/// end reads everything anew: what it kept across the tasks would be in registers that each call saves.
class scope_of_tasks {
 public:
  NEARFORK_INLINE scope_of_tasks(cancel_scope& scope, const slot* from) noexcept : scope_(scope) {
    outer().owner_open(scope, address_of(from));
    scope.on->scope = &scope;
  }
  NEARFORK_INLINE ~scope_of_tasks() {
    cancel_scope& around = outer();
    scope_.on->scope = &around;
    around.owner_close_inner();
  }
  scope_of_tasks(const scope_of_tasks&) = delete;
  scope_of_tasks& operator=(const scope_of_tasks&) = delete;

 private:
  /// An open scope of the fiber, which may change it.
  [[nodiscard]] NEARFORK_INLINE cancel_scope& outer() const noexcept {
    return const_cast<cancel_scope&>(*scope_.parent);
  }

  cancel_scope& scope_;
};

}  // namespace detail

/// Tasks that are spawned one by one and waited for together. The tasks and other threads may spawn, too.
///
///     void visit(const tree& node, nearfork::task_group& all) {
///       for (const tree& child : node.children) all.spawn([&] { visit(child, all); });
///       work_on(node);
///     }
///     void visit_all(const tree& root) {
///       nearfork::task_group all;
///       all.spawn([&] { visit(root, all); });
///       all.sync();
///     }
///
/// A group belongs to the runtime in which it was made, or to the one that its constructor names; a group made outside
/// workers belongs to process_runtime(). All its tasks run there, also those that other threads spawn. A task that
/// throws cancels its group. Cancelling a group also stops the loops, forks and groups inside its tasks
/// (cancellation.hpp).
/// Thread-safety: spawn(), cancel() and cancelled() from the frame that made the group, from its tasks, and from other
/// threads while that frame keeps the group alive; sync() and the destructor from that frame alone.
class task_group {
 public:
  /// A group without tasks. `token` cancels the group, too.
  NEARFORK_INLINE explicit task_group(cancellation_token token = {}) noexcept {
    detail::fiber& usual_fiber = detail::fiber_of_usual_span();  // before the branches: spawn() computes it again
    detail::fiber* home = nullptr;
    detail::cancel_scope* around = nullptr;
    const detail::slot* from = nullptr;
    const std::uint8_t mark = detail::thread_mark();
    if (mark != detail::outside) [[likely]] {
      home = mark == detail::usual_spans ? &usual_fiber : &detail::this_fiber();
      from = first_ = home->jobs.owner_head();
      around = home->scope;
    } else {
      bound_ = nullptr;
      outside_.thread = detail::this_thread_address();
    }
    // Nothing is called and all is written once: so the compiler knows in spawn() what the fields hold.
    home_ = home;
    std::construct_at(&scope_, around, home, from);
    if (token.can_cancel()) scope_.token = std::construct_at(&token_, std::move(token));
  }
  /// A group whose tasks run in `home`, wherever it is made. `home` must outlive the group.
  explicit task_group(runtime& home, cancellation_token token = {}) noexcept;
  /// Waits as sync() does, and drops the exceptions that no sync() has thrown. If an exception destroys the group, the
  /// tasks that are not done are cancelled first. That may happen also if the group is made and destroyed while an
  /// exception unwinds the stack, as in a destructor: there, call sync() before.
  NEARFORK_INLINE ~task_group() {
    if (NEARFORK_SANITIZED || holds_anything()) [[unlikely]]
      detail::found_anew(*this).end();
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Adds a task: a copy of f, or f itself moved. The task runs once, now or later, on any worker. If the group is
  /// cancelled, it is skipped. In the frame that made the group, the task is pushed onto the caller's deque, as by a
  /// fork. From another task it is, too, below what that task forks, and runs when that task has ended if no thief
  /// has taken it. While that task has forks or loops open, the new one goes to the pool of the domain. If the deque
  /// is full (8000 tasks), the youngest tasks run at once in the frame that made the group, for some microseconds. What
  /// they spawn where no slot is free goes to the pool, as the new task does if tasks take long and the other workers
  /// have few left, or if tasks of this process wait in suspend() or for MPI. So hold no lock there.
  /// A thread outside workers that has made the group pushes onto a deque that it borrows until sync(): workers take
  /// the oldest tasks from there, and sync() runs the youngest. Groups of some microseconds, made again and again with
  /// first tasks of one type, are run by sync() alone if that has been faster; if it does not come, workers have the
  /// tasks within some milliseconds. Beyond 8000 tasks that nobody has taken it waits for the workers: some tenths of a
  /// millisecond, and up to five milliseconds where they are quick. Tasks that it and other threads outside cannot push
  /// so go into a queue for all workers.
  /// Complexity: O(1). Allocates for closures of more than 104 bytes or whose move may throw, outside the frame that
  /// made the group, while a thief asks for work, and for closures of more than 40 bytes beyond the first 2560 tasks.
  /// Throws: std::bad_alloc; what copying or moving f throws; outside workers nearfork::error as run() does.
  template <class F>
  void spawn(F&& f) {
    using task = detail::cell_task<std::decay_t<F>>;
    if constexpr (task::fits && task::template is_trivial<F&&>) {
      if (spawn_at_home<task, F>(f)) [[likely]]
        return;
    } else if constexpr (task::fits) {
      if (is_certainly_at_home()) return spawn_in_cell<std::decay_t<F>>(std::forward<F>(f));
    }
    // A copy, where that can stand for it: else the address of a closure of the hot path would escape, and the compiler
    // would write the closure to memory there. Made here: as an argument by value it was no better for more than two
    // words (five words: gcc 9.8 ns a task, 7.1 so; clang 12 and 5.6).
    if constexpr (detail::copy_stands_for<std::remove_reference_t<F>>(sizeof(detail::wide_cell))) {
      std::decay_t<F> copy(f);
      spawn_slowly(std::move(copy));
    } else {
      spawn_slowly(std::forward<F>(f));
    }
  }

  /// Waits until all tasks are done, also those spawned meanwhile. May run tasks that this frame spawned, also into
  /// other groups. Afterwards the group is as new: it may be used again.
  /// Throws: the first exception of a task, which has cancelled the remaining tasks; nearfork::cancelled if the task
  /// around the group is cancelled.
  NEARFORK_INLINE void sync() {
    // A thread sanitizer does not see that the library releases what is acquired here; the library tells it.
    if (!run_tasks_at_home() || has_tasks() || NEARFORK_SANITIZED) [[unlikely]]
      detail::found_anew(*this).sync_quietly();
    if (!detail::nothing_is_cancelled()) [[unlikely]]
      detail::found_anew(*this).end_cancellation();
  }

  /// Cancels the tasks: those that have not started are skipped, those that run are told to stop. sync() makes the
  /// group usable again.
  void cancel() noexcept { detail::cancel(scope_); }
  /// True from cancel() or a task's exception until sync(), and from the time when the group's token is cancelled.
  [[nodiscard]] bool cancelled() const noexcept {
    return scope_.cancelled.load(detail::seam::memory_order_relaxed) ||
           (scope_.token != nullptr && scope_.token->cancelled());
  }

 private:
  friend class detail::group_job;

  /// The function of all_done_. Never called: the fiber in sync() waits for that job, and the last task finishes it.
  static void never_called(detail::job&);

  /// True only on the stack of the fiber that made the group. A fiber with a large stack may be deeper in it.
  [[nodiscard]] bool is_certainly_at_home() const noexcept { return home_ == &detail::fiber_of_usual_span(); }
  /// The fiber that made the group, if the caller may push onto its deque; else nullptr. Jobs must lie in the deque in
  /// the order in which their frames nest: a join would take a job that lies above its slot for its own. So a push is
  /// right only at next(): directly above the group's own jobs, or above its frame's jobs.
  [[nodiscard]] detail::fiber* fiber_at_home() const noexcept {
    if (!detail::thread_mark()) return nullptr;
    detail::fiber& self = detail::this_fiber();
    return &self == home_ && is_at_top(self.jobs.owner_head()) ? &self : nullptr;
  }
  /// True if the group's jobs end at the deque's head: there it may push and pop.
  [[nodiscard]] bool is_at_top(const detail::slot* head) const noexcept { return head == next(); }
  /// Room for a task that is pushed at the deque's head; nullptr: it must lie on the heap.
  template <class Task>
  [[nodiscard]] NEARFORK_INLINE void* free_cell(detail::fiber& home, detail::slot* head) const noexcept {
    if (!is_at_top(head) || !home.jobs.owner_may_push(head) || home.cell_in_use == &home.cell_of(head)) [[unlikely]]
      return nullptr;
    if constexpr (Task::is_small) return home.cell_of(head).bytes;
    else return home.has_wide_cell(head) ? home.wide_cell_of(head).bytes : nullptr;
  }
  /// Not 1, which sync() takes for a job at home.
  static constexpr std::size_t in_lane = 2;
  [[nodiscard]] bool has_lane() const noexcept { return home_ == nullptr && pushed_ == in_lane; }
  /// Where its jobs in the deque end.
  [[nodiscard]] detail::slot* next() const noexcept { return first_ + pushed_; }
  void count_push(detail::fiber& self, detail::slot* head) noexcept {
    self.jobs.owner_set_head(head + 1);
    ++pushed_;
  }

  /// Runs the tasks that this frame pushed last: one task in the caller, so that it costs little more than its call;
  /// several by a loop in the library, because a loop here would take registers that each call of a recursion saves.
  /// True: no job at home is left. False: there was none, or some are left, since a worker asked, something is
  /// cancelled, a plan decides, or another group's job lies above.
  [[nodiscard]] NEARFORK_INLINE bool run_tasks_at_home() noexcept {
    if (pushed_ == 1) [[likely]]
      return run_only_task();
    return has_jobs_at_home() && detail::found_anew(*this).run_own_tasks();
  }
  [[nodiscard]] NEARFORK_INLINE bool run_only_task() noexcept {
    detail::fiber& self = *home_;
    detail::slot* const position = first_;
    if (self.jobs.owner_head() != position + 1 || may_not_run_own(self)) [[unlikely]]
      return false;
    if (!self.jobs.owner_pop(position)) [[unlikely]] {
      self.jobs.owner_set_head(position + 1);
      return false;
    }
    pushed_ = 0;
    const detail::scope_of_tasks here(scope_, position);
    call_own(position);
    return true;
  }
  [[nodiscard]] static bool may_not_run_own(const detail::fiber& self) noexcept {
    return self.cursor != nullptr || !detail::nothing_is_cancelled();
  }
  /// Calls the task in `position`, which is popped.
  NEARFORK_INLINE void call_own(const detail::slot* position) noexcept {
    try {
      static_cast<detail::group_job&>(*position->load(detail::seam::memory_order_relaxed)).call();
    } catch (...) {
      detail::found_anew(*this).fail();
    }
  }

  /// For a closure whose copy, move and end run no code of the program. False: nothing has happened to it.
  template <class Task, class From>
  NEARFORK_INLINE bool spawn_at_home(std::remove_reference_t<From>& f) {
    if (!is_certainly_at_home()) [[unlikely]]
      return false;  // other threads must not read pushed_
    detail::fiber& home = *home_;
    detail::slot* const head = home.jobs.owner_head();
    const std::size_t before = pushed_;
    void* const cell = free_cell<Task>(home, head);
    if (cell == nullptr) [[unlikely]]
      return false;
    home.jobs.owner_put(head, ::new (cell) Task(*this, static_cast<From&&>(f)));
    home.jobs.owner_set_head(head + 1);  // the next push will see a request that came just now
    pushed_ = before + 1;
    return true;
  }
  /// For a closure whose copy, move or end may run code of the program, also groups: the cell is in use meanwhile, and
  /// the deque is looked at again.
  template <class F, class From>
  void spawn_in_cell(From&& f) {
    detail::fiber& home = *home_;
    detail::slot* const head = home.jobs.owner_head();
    void* const cell = free_cell<detail::cell_task<F>>(home, head);
    if (cell == nullptr) [[unlikely]]
      return spawn_slowly<From>(std::forward<From>(f));
    detail::cell_task<F>* made = nullptr;
    {
      const detail::cell_in_use here(home, cell);
      made = ::new (cell) detail::cell_task<F>(*this, std::forward<From>(f));
    }
    if (home.jobs.owner_head() != head || !is_at_top(head)) [[unlikely]]
      return spawn_slowly<F>(made->taken());
    home.jobs.owner_put(head, made);
    home.jobs.owner_set_head(head + 1);
    ++pushed_;
  }

  template <class F>
  NEARFORK_COLD void spawn_slowly(F&& f) {
    if (scope_.cancelled.load(detail::seam::memory_order_relaxed)) return;
    hand_over(detail::task_owner(detail::heap_task<std::decay_t<F>>::made(*this, std::forward<F>(f))));
  }

  /// Call it with jobs at home. Returns as run_tasks_at_home().
  [[nodiscard]] bool run_own_tasks() noexcept;
  void hand_over(detail::task_owner task);
  void begin_above_loose() noexcept;
  void push_at_home(detail::fiber& self, detail::task_owner task);
  void push_beyond_deque(detail::fiber& self, detail::task_owner task);
  [[nodiscard]] bool make_room(detail::fiber& self) noexcept;
  void run_some(detail::fiber& self) noexcept;
  [[nodiscard]] bool run_youngest_alone(detail::fiber& self) noexcept;
  void reuse_slots(detail::fiber& self) noexcept;
  [[nodiscard]] bool others_lack_tasks() const noexcept;
  void run_beyond_deque(detail::fiber& self, detail::task_owner task) noexcept;
  [[nodiscard]] bool push_on_account(detail::fiber& self, detail::task_owner& task) noexcept;
  void push_elsewhere(detail::task_owner task);
  void push_outside(detail::task_owner task);
  void end_unpushed(crew& home);
  [[nodiscard]] outside_lane* lane_of_caller(crew& home, const detail::group_job& first);
  void run_lane(detail::fiber& self) noexcept;
  void give_back_lane() noexcept;
  void run_task(detail::task_owner task) noexcept;
  /// In a handler: a task threw.
  NEARFORK_COLD void fail() noexcept;
  void run_in_place(detail::task_owner task) noexcept;
  void shield_if_unwinding() noexcept;
  void call(detail::task_owner task) noexcept;
  /// Runs the jobs of the deque from first_ on. True: they were stolen, and the slots may be used again once they are
  /// done.
  [[nodiscard]] bool drain(detail::fiber& self) noexcept;
  void run_youngest(detail::fiber& self, detail::slot* youngest) noexcept;
  [[nodiscard]] bool count_stolen(const detail::slot* head) noexcept;
  void wait_for_rest(detail::fiber& self) noexcept;
  [[nodiscard]] bool has_tasks() const noexcept { return has_jobs_at_home() || has_tasks_elsewhere(); }
  /// Pushed at home, and neither taken back nor known to be stolen. Without home_: there is a lane to give back.
  [[nodiscard]] bool has_jobs_at_home() const noexcept { return pushed_ != 0; }
  /// Ask it without jobs at home: then each stolen one is counted.
  [[nodiscard]] bool has_tasks_elsewhere() const noexcept { return elsewhere_.any(); }
  /// False: the destructor has nothing to do. One branch for all words.
  [[nodiscard]] NEARFORK_INLINE bool holds_anything() const noexcept {
    return (pushed_ | elsewhere_.bits() | reinterpret_cast<std::uintptr_t>(scope_.token)) != 0 ||
           scope_.cancelled.load(detail::seam::memory_order_relaxed);
  }
  [[nodiscard]] crew& runtime_of_tasks() const;
  void bind(runtime* home) noexcept;
  void end() noexcept;
  void end_tasks() noexcept;
  void forget_failure() noexcept;
  void sync_quietly() noexcept;
  void wait_for_others() noexcept;
  void end_cancellation();
  void count_elsewhere(crew& home) noexcept;
  [[nodiscard]] detail::fiber* end_elsewhere(crew& home, const detail::group_account& ended) noexcept;

  // Used by the frame that made the group. What has no value here gets one when it is needed.
  detail::fiber* home_;  // nullptr: made outside any worker of its runtime
  union {
    detail::slot* first_;  // home_ set: its jobs in the deque lie from here on, without gaps
    runtime* bound_;       // else: what the constructor named, or nullptr
  };
  std::size_t pushed_ = 0;  // how many jobs; without home_: 0, or in_lane
  struct {
    const void* thread;  // without home_: the thread that made the group, if it is outside workers
    outside_lane* lane;  // while pushed_ is in_lane: for what that thread spawns
  } outside_;

  // All threads. A task that ends elsewhere counts down; a spawn elsewhere counts up, and so does the frame when it
  // learns that its jobs were stolen.
  detail::tasks_elsewhere elsewhere_;
  detail::seam::atomic<bool> failed_{false};
  union {
    detail::cancel_scope scope_;  // the scope of the tasks
  };
  union {
    cancellation_token token_;  // if scope_ has a token
  };
  union {
    std::exception_ptr failure_;  // made by the task that set failed_, read after all tasks are done
  };
  union {
    detail::job all_done_;  // made by the sync() that waits
  };
};

}  // namespace nearfork

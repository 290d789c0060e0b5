#pragma once

#include <nearfork/detail/language.hpp>

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
class runtime;
class task_group;

namespace detail {

/// A task of a group. It lies in the cell of its deque's slot, or on the heap.
class group_job : public job {
 public:
  /// Calls the task and destroys it, also if the call throws.
  virtual void call() = 0;
  /// Destroys the task without calling it.
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
  /// Moves the task to the caller's frame first: once the task runs, its slot is free, and with the slot its cell.
  void call() override {
    F f(std::move(f_));
    drop();
    detail::call(f);
  }
  void drop() noexcept override { this->~cell_task(); }

 private:
  F f_;
};

/// Lives while a group's tasks run on the fiber that made the group, in the slots from the group's first one on.
class scope_of_tasks {
 public:
  NEARFORK_INLINE scope_of_tasks(fiber& self, cancel_scope& scope, slot* from) noexcept
      : self_(self), outer_(self.scope) {
    outer_->owner_open(scope, static_cast<std::uint32_t>(self.jobs.owner_index(from)));
    self.scope = &scope;
  }
  NEARFORK_INLINE ~scope_of_tasks() {
    outer_->owner_close_inner();
    self_.scope = outer_;
  }
  scope_of_tasks(const scope_of_tasks&) = delete;
  scope_of_tasks& operator=(const scope_of_tasks&) = delete;

 private:
  fiber& self_;
  cancel_scope* outer_;
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
    if (detail::thread_mark()) [[likely]] {
      home_ = &detail::this_fiber();
      next_ = first_ = home_->jobs.owner_head();
      std::construct_at(&scope_, home_->scope, home_, static_cast<std::uint32_t>(home_->jobs.owner_index(next_)));
    } else {
      std::construct_at(&scope_);
      bind(nullptr);
    }
    if (token.can_cancel()) scope_.token = std::construct_at(&token_, std::move(token));
  }
  /// A group whose tasks run in `home`, wherever it is made. `home` must outlive the group.
  explicit task_group(runtime& home, cancellation_token token = {}) noexcept;
  /// Waits as sync() does, and drops the exceptions that no sync() has thrown. If an exception destroys the group, the
  /// tasks that are not done are cancelled first.
  NEARFORK_INLINE ~task_group() {
    if (NEARFORK_SANITIZED || has_tasks()) [[unlikely]]
      end_tasks();
    if (scope_.cancelled.load(detail::seam::memory_order_relaxed)) [[unlikely]]
      forget_failure();
    if (scope_.token != nullptr) [[unlikely]]
      std::destroy_at(&token_);
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Adds a task: a copy of f, or f itself moved. The task runs once, now or later, on any worker. If the group is
  /// cancelled, it is skipped. In the frame that made the group, the task is pushed onto the caller's deque, as by a
  /// fork. Elsewhere it goes to the pool of the domain. If the deque is full, it runs at once.
  /// Complexity: O(1). Allocates for closures of more than 32 bytes, outside the frame that made the group, and while a
  /// thief asks for work.
  /// Throws: std::bad_alloc; what copying or moving f throws; outside workers nearfork::error as run() does.
  template <class F>
  void spawn(F&& f) {
    using small_task = detail::cell_task<std::decay_t<F>>;
    if constexpr (small_task::fits) {
      if (is_certainly_at_home()) [[likely]] {  // other threads must not read next_
        detail::slot* const head = home_->jobs.owner_head();
        if (is_at_top(head) && home_->jobs.owner_may_push(head)) [[likely]] {
          detail::job& made = *::new (home_->cell_of(head).bytes) small_task(*this, std::forward<F>(f));
          home_->jobs.owner_put(head, &made);  // the next push will see a request that came just now
          count_push(*home_, head);
          return;
        }
      }
    }
    if (scope_.cancelled.load(detail::seam::memory_order_relaxed)) return;
    hand_over(detail::task_owner(new detail::heap_task<std::decay_t<F>>(*this, std::forward<F>(f))));
  }

  /// Waits until all tasks are done, also those spawned meanwhile. May run tasks that this frame spawned, also into
  /// other groups. Afterwards the group is as new: it may be used again.
  /// Throws: the first exception of a task, which has cancelled the remaining tasks; nearfork::cancelled if the task
  /// around the group is cancelled.
  NEARFORK_INLINE void sync() {
    // A thread sanitizer does not see that the library releases what is acquired here; the library tells it.
    if (!has_jobs_at_home() || !run_own_tasks() || has_tasks_elsewhere() || NEARFORK_SANITIZED) [[unlikely]]
      sync_quietly();
    if (detail::cancellations.load(detail::seam::memory_order_relaxed) != 0) [[unlikely]]
      end_cancellation();
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
  [[nodiscard]] bool is_certainly_at_home() const noexcept {
    return reinterpret_cast<std::uintptr_t>(home_) - detail::stack_pointer() <
           detail::usual_span_bytes - detail::fiber_record_bytes;
  }
  /// The fiber that made the group, if the caller may push onto its deque; else nullptr. Jobs must lie in the deque in
  /// the order in which their frames nest: a join would take a job that lies above its slot for its own. So a push is
  /// right only at next_: directly above the group's own jobs, or above its frame's jobs.
  [[nodiscard]] detail::fiber* fiber_at_home() const noexcept {
    if (!detail::thread_mark()) return nullptr;
    detail::fiber& self = detail::this_fiber();
    return &self == home_ && is_at_top(self.jobs.owner_head()) ? &self : nullptr;
  }
  /// True if the group's jobs end at the deque's head: there it may push and pop.
  [[nodiscard]] bool is_at_top(const detail::slot* head) const noexcept { return head == next_; }
  void count_push(detail::fiber& self, detail::slot* head) noexcept {
    self.jobs.owner_set_head(head + 1);
    if (!has_jobs_at_home()) [[likely]]
      older_ = std::exchange(self.youngest_group, this);
    next_ = head + 1;
  }

  /// Runs the tasks that this frame pushed last. False: some are left, since a worker asked, something is cancelled, a
  /// plan decides, or another group's job lies above. In the caller, so that a group whose tasks stay at home costs
  /// little more than their calls.
  [[nodiscard]] NEARFORK_INLINE bool run_own_tasks() noexcept {
    detail::fiber& self = *home_;
    if (self.cursor != nullptr) [[unlikely]]
      return false;
    const detail::scope_of_tasks here(self, scope_, first_);
    do {
      detail::slot* const head = self.jobs.owner_head();
      if (!is_at_top(head) || detail::cancellations.load(detail::seam::memory_order_relaxed) != 0) [[unlikely]]
        break;
      if (!self.jobs.owner_pop(head - 1)) [[unlikely]] {
        self.jobs.owner_set_head(head);
        break;
      }
      next_ = head - 1;
      if (!has_jobs_at_home()) self.youngest_group = older_;  // this one: its job was the youngest
      try {
        static_cast<detail::group_job&>(*next_->load(detail::seam::memory_order_relaxed)).call();
      } catch (...) {
        fail();
      }
    } while (has_jobs_at_home());
    return !has_jobs_at_home();
  }

  void hand_over(detail::task_owner task);
  void push_at_home(detail::fiber& self, detail::task_owner task);
  void push_elsewhere(detail::task_owner task);
  void run_task(detail::task_owner task) noexcept;
  /// In a handler: a task threw.
  NEARFORK_COLD void fail() noexcept;
  void run_in_place(detail::task_owner task) noexcept;
  void run_unwinding(detail::task_owner task) noexcept;
  /// Runs the jobs of the deque from first_ on. True: they were stolen, and the slots may be used again once they are
  /// done.
  [[nodiscard]] bool drain(detail::fiber& self) noexcept;
  void run_youngest(detail::fiber& self, detail::slot* youngest) noexcept;
  [[nodiscard]] bool count_stolen(detail::fiber& self, detail::slot* head) noexcept;
  void unlink(detail::fiber& self) noexcept;
  void wait_for_rest(detail::fiber& self) noexcept;
  [[nodiscard]] bool has_tasks() const noexcept { return has_jobs_at_home() || has_tasks_elsewhere(); }
  /// Pushed at home, and neither taken back nor known to be stolen.
  [[nodiscard]] bool has_jobs_at_home() const noexcept { return next_ != first_; }
  /// Ask it without jobs at home: then each stolen one is counted. Acquire: pairs with the tasks that ended elsewhere.
  [[nodiscard]] bool has_tasks_elsewhere() const noexcept {
    return outstanding_.load(detail::seam::memory_order_acquire) != not_waiting;
  }
  [[nodiscard]] crew& runtime_of_tasks() const;
  void bind(runtime* home) noexcept;
  void end_tasks() noexcept;
  void forget_failure() noexcept;
  void sync_quietly() noexcept;
  void wait_for_others() noexcept;
  void end_cancellation();
  void finish_elsewhere() noexcept;

  // Used by the frame that made the group. What has no value here gets one when it is needed.
  detail::fiber* home_;  // nullptr: made outside any worker of its runtime
  detail::slot* first_;  // its jobs in the deque lie from here
  detail::slot* next_;   // to here
  union {
    task_group* older_;  // home_ set: the groups of this fiber with jobs in its deque are a list, youngest first
    runtime* bound_;     // else: what the constructor named, or nullptr
  };

  // All threads. A task that ends elsewhere counts down; a spawn elsewhere counts up, and so does the frame when it
  // learns that its jobs were stolen. While no sync() waits, the count is biased, so that it is zero only when the
  // waiter may go on.
  static constexpr std::int64_t not_waiting = std::int64_t{1} << 40;
  detail::seam::atomic<bool> failed_{false};
  detail::seam::atomic<std::int64_t> outstanding_{not_waiting};
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

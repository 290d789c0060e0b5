#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>
#include <nearfork/detail/stack_job.hpp>

namespace nearfork {

class task_group;

namespace detail {

/// A task of a group: on the heap, gone when it has run.
class group_job : public job {
 public:
  virtual ~group_job() = default;
  virtual void call() = 0;

 protected:
  explicit group_job(task_group& group) noexcept;

 private:
  static void execute(job& self) noexcept;
  friend class nearfork::task_group;
  task_group* group_;
};

template <class F>
class group_task final : public group_job {
 public:
  group_task(task_group& group, F&& f) : group_job(group), f_(std::move(f)) {}
  group_task(task_group& group, const F& f) : group_job(group), f_(f) {}
  void call() override { f_(); }

 private:
  F f_;
};

}  // namespace detail

/// Any number of tasks, spawned one by one, also by each other and from other threads, and waited for together.
///
/// Spawn pushes onto the caller's deque where the group was made (as a fork does, plus one allocation), and
/// hands the task to the domain's pool elsewhere. Where the deque is full the task runs at once.
/// Thread-safety: spawn() and cancel() from the frame that made the group, from its tasks, and
/// from other threads while that frame keeps it alive; sync() and the destructor from that frame alone.
class task_group {
 public:
  task_group() noexcept;
  /// Waits like sync(). Exceptions that no sync() asked for are dropped.
  ~task_group();
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Lets f run, now or later, here or elsewhere. Skipped if the group is cancelled.
  /// Throws: std::bad_alloc, and what copying or moving f throws.
  template <class F>
  void spawn(F&& f) {
    if (cancelled()) return;
    hand_over(std::make_unique<detail::group_task<std::decay_t<F>>>(*this, std::forward<F>(f)));
  }

  /// Returns when all tasks are done, those spawned meanwhile included. May run tasks that this frame spawned, also
  /// into other groups. Afterwards the group is as new. Throws: the first exception of a task; it cancels the rest.
  void sync();

  /// Tasks that have not started are skipped; sync() makes the group usable again.
  void cancel() noexcept { cancelled_.store(true, detail::seam::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept { return cancelled_.load(detail::seam::memory_order_relaxed); }

 private:
  friend class detail::group_job;

  void hand_over(std::unique_ptr<detail::group_job> task);
  [[nodiscard]] bool at_home(const detail::fiber& self) const noexcept;
  void push_at_home(detail::fiber& self, std::unique_ptr<detail::group_job> task);
  void push_elsewhere(std::unique_ptr<detail::group_job> task);
  void run_task(std::unique_ptr<detail::group_job> task) noexcept;
  void drain(detail::fiber& self) noexcept;
  void run_youngest(detail::fiber& self, detail::slot* youngest) noexcept;
  void count_stolen(detail::fiber& self) noexcept;
  void unlink(detail::fiber& self) noexcept;
  void wait_for_rest(detail::fiber& self) noexcept;
  void sync_quietly() noexcept;
  void finish_elsewhere() noexcept;

  // The frame that made the group.
  detail::fiber* home_;            // nullptr: made outside any worker
  detail::slot* first_;            // where its first job went or will go
  detail::slot* next_;             // head after its last push
  std::uint32_t in_deque_ = 0;     // pushed at home, and neither taken back nor known to be stolen
  std::uint32_t stolen_ = 0;
  bool reuse_slots_ = false;       // all that lay in the deque from first_ on was this group's and stolen
  task_group* older_ = nullptr;    // groups of this fiber with jobs in its deque, youngest first

  // Everybody. Tasks that ended elsewhere count down, sync() and spawns elsewhere count up; biased while no
  // sync() waits, so that it is zero only when the waiter may go on.
  static constexpr std::int64_t not_waiting = std::int64_t{1} << 40;
  detail::seam::atomic<std::int64_t> outstanding_{not_waiting};
  detail::job all_done_;
  detail::seam::atomic<bool> cancelled_{false};
  detail::seam::atomic<bool> failed_{false};
  std::exception_ptr failure_;  // written by the one that set failed_, read after all are done
};

}  // namespace nearfork

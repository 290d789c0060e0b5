// A worker's mailbox: dataflow tasks that others pushed to it (Drebes et al., PACT 2016, section 3.3: a bounded queue
// with many producers). The paper's owner empties its mailbox into its deque between tasks, so that thieves reach what
// lies there. Here the tasks stay in the mailbox, and the owner marks them as open.
//
// [Q1] Each task that try_push() took is taken out once: everything but the counts is touched under the lock alone.
// [Q2] The sender puts the task in, then looks at the counts of idle workers by a read-modify-write, as any publisher
//      ([P4] of parking.md). A worker that gets sleepy later sees the task in its last look around [P3].
// [Q3] The owner takes its own mail before anything else. So a sender that wakes the owner wakes no other worker.
// [Q4] While the owner is in a task, others may take its mail: open tasks at any time, and the rest instead of going to
//      sleep. So no worker sleeps while a pushed task waits.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/short_lock.hpp>

namespace nearfork {

template <class Task>
class bounded_mailbox {
 public:
  /// Room for that many tasks; 0: takes none.
  explicit bounded_mailbox(std::uint32_t room)
      : slots_(room == 0 ? nullptr : std::make_unique<detail::seam::plain<Task*>[]>(room)), room_(room) {}

  // --- by any thread ---
  /// False: the mailbox is full.
  [[nodiscard]] bool try_push(Task& pushed) noexcept {
    const std::lock_guard now(lock_);
    const std::uint32_t count = waiting_.load(detail::seam::memory_order_relaxed);
    if (count == room_) return false;
    slots_[(first_ + count) % room_] = &pushed;
    waiting_.store(count + 1, detail::seam::memory_order_relaxed);  // ordered by the look that follows [Q2]
    return true;
  }
  /// Racy, but exact for a worker about to park [Q2].
  [[nodiscard]] bool looks_empty() const noexcept { return waiting_.load(detail::seam::memory_order_relaxed) == 0; }
  /// [Q4] nullptr: the owner has opened none. Relaxed: the lock decides.
  [[nodiscard]] Task* take_open() noexcept {
    if (open_.load(detail::seam::memory_order_relaxed) == 0) return nullptr;
    const std::lock_guard now(lock_);
    return open_.load(detail::seam::memory_order_relaxed) == 0 ? nullptr : take_first();
  }
  /// [Q4] By a worker that would sleep. nullptr: the mailbox is empty.
  [[nodiscard]] Task* rob() noexcept {
    if (looks_empty()) return nullptr;
    const std::lock_guard now(lock_);
    return looks_empty() ? nullptr : take_first();
  }

  // --- by the owner ---
  /// Between two tasks: takes the oldest, and opens all others. nullptr: the mailbox is empty.
  [[nodiscard]] Task* take_own() noexcept {
    if (looks_empty()) return nullptr;
    const std::lock_guard now(lock_);
    if (looks_empty()) return nullptr;
    Task* const taken = take_first();
    open_.store(waiting_.load(detail::seam::memory_order_relaxed), detail::seam::memory_order_relaxed);
    return taken;
  }

 private:
  Task* take_first() noexcept {
    Task* const taken = slots_[first_];
    first_ = (first_ + 1) % room_;
    waiting_.store(waiting_.load(detail::seam::memory_order_relaxed) - 1, detail::seam::memory_order_relaxed);
    // Open tasks are the oldest ones.
    if (const std::uint32_t open = open_.load(detail::seam::memory_order_relaxed); open > 0)
      open_.store(open - 1, detail::seam::memory_order_relaxed);
    return taken;
  }

  detail::short_lock lock_;
  const std::unique_ptr<detail::seam::plain<Task*>[]> slots_;
  const std::uint32_t room_;
  detail::seam::plain<std::uint32_t> first_{0};  // the oldest
  // Written under the lock.
  detail::seam::atomic<std::uint32_t> waiting_{0};
  detail::seam::atomic<std::uint32_t> open_{0};
};

/// Puts the task into the mailbox of worker `to` of `home`, and sees to it that a worker comes. False: the mailbox is
/// full, and nothing has happened. After true the task may be done. What `home` can do:
///
///     box_of(worker)       its mailbox
///     lot()                its parking lot
///     notify(worker)       wakes this worker; false: it does not sleep
///     is_in_task(worker)   the worker is in a task, as far as another thread can see
///     notify_mate(worker)  wakes another worker of the same memory node; false: none sleeps
///     notify_one(worker)   wakes one worker, if one sleeps: a near one rather than others
template <class Home, class Task>
[[nodiscard]] bool send_task(Home& home, Task& task, std::uint32_t to) {
  if (!home.box_of(to).try_push(task)) return false;
  const bool nobody_looks = home.lot().should_notify();  // [Q2], [P4]
  if (home.notify(to)) return true;                      // [Q3]
  if (home.is_in_task(to) && home.notify_mate(to)) return true;
  if (nobody_looks) home.notify_one(to);  // [Q4]
  return true;
}

}  // namespace nearfork

// The post of the one who looks after what nobody reports: of the idle worker that polls for tasks which wait, or of
// the thread that looks after hidden lanes.
//
// [V1] A task counts itself in before its worker may look for the post, and a watcher that leaves because nobody waits
//      looks at the count again after it has left. Both sides store first and load afterwards, all of it seq_cst: so
//      the worker gets the post, or the watcher sees the task and takes the post again. Without the second look a task
//      could wait while all workers sleep. Model: a_task_that_waits_has_a_watcher. Mutant:
//      watcher_leaves_without_second_look.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

class watch_post {
 public:
  void task_waits() noexcept { waiting_.fetch_add(1, seam::memory_order_seq_cst); }
  /// Relaxed: a watcher that sees it late polls once in vain.
  void task_goes_on() noexcept { waiting_.fetch_sub(1, seam::memory_order_relaxed); }

  /// As task_waits(), for who relies on a watcher that is there. False: there is none, and nobody is counted.
  [[nodiscard]] bool begin_relying() noexcept {
    task_waits();
    if (taken_.load(seam::memory_order_seq_cst)) return true;  // [V1]
    task_goes_on();
    return false;
  }

  /// Racy: whether any task waits.
  [[nodiscard]] bool wanted() const noexcept { return waiting_.load(seam::memory_order_relaxed) > 0; }
  /// The same, in one order with task_waits() and what the caller stored before, seq_cst.
  [[nodiscard]] bool wanted_now() const noexcept { return waiting_.load(seam::memory_order_seq_cst) > 0; }
  /// Racy: whether a worker has the post.
  [[nodiscard]] bool taken() const noexcept { return taken_.load(seam::memory_order_relaxed); }

  /// By a worker that is about to sleep. True: a task waits, and this worker watches until it leaves.
  [[nodiscard]] bool try_take() noexcept { return wanted_now() && !taken_.exchange(true, seam::memory_order_seq_cst); }
  /// By the only one who may have the post, or who has it.
  void take() noexcept {
    if (!taken()) taken_.store(true, seam::memory_order_seq_cst);
  }
  void leave() noexcept { taken_.store(false, seam::memory_order_seq_cst); }
  /// By the watcher. True: no task waits, and the watcher has left.
  [[nodiscard]] bool leave_if_unwanted() noexcept {
    if (wanted_now()) return false;
    leave();
    return !try_take();  // [V1]
  }

 private:
  seam::atomic<std::uint32_t> waiting_{0};
  seam::atomic<bool> taken_{false};
};

}  // namespace nearfork

// An event: something that happens once, on any thread, and that one fiber or one outside thread waits for.
//
// A fiber waits for the event's job (job.hpp), which nobody runs and finish() finishes. A thread that has no fiber
// sleeps on a word of its own.
//
// [E1] What was written before finish() is read after happened() or after the wait: the job's exchange releases it
//      [J1], and so does the signal for threads (done_signal.hpp, [E2]). Mutant: event_ends_relaxed.
// [E3] A fiber or thread that has seen the event may drop its share of the memory while finish() still runs. So the
//      thread that calls finish() has a share, too. Mutant: last_resumer_lets_go_first.
#pragma once

#include <cstdint>

#include <nearfork/detail/job.hpp>
#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/tasks/done_signal.hpp>

namespace nearfork::detail {

class event {
 public:
  [[nodiscard]] bool happened() const noexcept { return happening_.done(); }

  /// Call it once. Wakes the thread that sleeps. Returns the fiber that waits, which the caller makes ready; nullptr:
  /// no fiber waits.
  [[nodiscard]] fiber* finish() noexcept {
    fiber* const waiter = happening_.finish();
    over_.set();
    return waiter;
  }

  /// For a thread that is no worker: returns when the event has happened.
  void sleep() noexcept { over_.sleep(); }
  template <class Wait>
  void sleep_by(Wait&& wait) noexcept {
    over_.sleep_by(wait);
  }

  /// For a fiber: wait_for(fiber, job) suspends it until finish().
  [[nodiscard]] job& happening() noexcept { return happening_; }

 private:
  static void never_called(job&) {}

  job happening_{kind_of<&never_called>};
  done_signal over_;
};

/// How many hold an object on the heap. The object begins with `count` holders.
class holders {
 public:
  explicit holders(std::uint32_t count) noexcept : count_(count) {}
  /// By a holder. Relaxed: the holder keeps the object meanwhile.
  void add() noexcept { count_.fetch_add(1, seam::memory_order_relaxed); }
  /// True: that was the last holder, which sees what all others did.
  [[nodiscard]] bool let_go() noexcept { return count_.fetch_sub(1, seam::memory_order_acq_rel) == 1; }
  /// By a holder: the only one, which sees what the others did. Acquire: pairs with let_go().
  [[nodiscard]] bool is_one() const noexcept { return count_.load(seam::memory_order_acquire) == 1; }

 private:
  seam::atomic<std::uint32_t> count_;
};

/// Returns when the event has happened. On a worker the fiber is suspended; first it gives away the jobs of its deque,
/// because no thief finds them while the fiber waits, and the event may depend on them. An outside thread sleeps.
void await(event& awaited) noexcept;

/// Calls finish(), and makes the fiber that waits ready. From any thread, also in the middle of a task.
void happen(event& awaited) noexcept;

}  // namespace nearfork::detail

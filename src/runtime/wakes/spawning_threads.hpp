// Threads outside workers that spawn tasks and run meanwhile: each has a core that a worker would take. So as many
// workers sleep on, whatever is shared, as long as one is awake. A thread takes the place of one of them when it waits
// for its tasks. With three threads on two cores, the thread that spawned found no place, slept, and was woken behind a
// worker. A merge sort with a group at each level that `main` calls took 478 us on two workers, and takes 376 so.
//
// A thread that waits for something else than its tasks has no core, and one that computes for long may wait for a task
// by looking. So a watcher looks every other millisecond (polling/lane_watch.hpp), and counts out those that sleep, or
// have not waited for their tasks for some looks. Who was found asleep does not count with its next lanes: it may sleep
// beside them, too. (Two tasks of 1 ms beside a sleep of 1 ms, again and again: 2.1 ms without that, and 1.1 so.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <nearfork/detail/seam.hpp>

#include "runtime/protocols/sleeping_on.hpp"

namespace nearfork {

/// Of one crew. A thread may spawn for several; it counts in the first. Thread-safe.
class spawning_threads {
 public:
  constexpr spawning_threads() noexcept = default;
  spawning_threads(const spawning_threads&) = delete;
  spawning_threads& operator=(const spawning_threads&) = delete;

  [[nodiscard]] const sleeping_on& sleepers() const noexcept { return sleepers_; }

  // --- by the thread itself ---
  /// It is about to spawn into one more lane, and will call leave() as often. True: it counts once it relies on the
  /// watcher.
  [[nodiscard]] bool join() noexcept;
  /// The watcher looks until the thread has left. The thread counts from now on, except between pause() and resume().
  void rely_on_watcher() noexcept;
  struct last_lane {
    bool relied = false;   // on the watcher
    bool counted = false;  // until now: [K1] of sleeping_on.hpp
  };
  /// Where it was not the last lane, both are false.
  [[nodiscard]] last_lane leave() noexcept;
  /// The same, while it has lanes: it has a place, and with it a core of the workers'.
  [[nodiscard]] last_lane stop() noexcept;
  /// It is about to sleep, or to run tasks itself. True: it counted until now: [K1]. Each call from outside pauses and
  /// resumes: it took 171 ns where it asked the thread's own memory each time, and takes 162 so.
  [[nodiscard]] bool pause() noexcept { return any_relies() && pause_here(); }
  void resume() noexcept {
    if (any_relies()) resume_here();
  }

  // --- by the watcher ---
  /// True: a thread counted until now, and does not run, or has not waited for its tasks for long: [K1].
  [[nodiscard]] bool look() noexcept;

 private:
  /// More threads at a time do not count.
  static constexpr std::size_t most = 16;
  static constexpr int nobody = 0;
  static constexpr int about_to_sit = -1;
  struct seat {
    detail::seam::atomic<int> thread{nobody};  // the system's number
    detail::seam::atomic<std::uint32_t> taken{0};
    detail::seam::atomic<int> slept{nobody};  // the thread that the watcher counted out last because it slept
    // Of the watcher:
    std::uint32_t seen_taken = 0;
    std::uint32_t looks = 0;
  };
  /// Of the calling thread it is exact.
  [[nodiscard]] bool any_relies() const noexcept { return relying_.load(detail::seam::memory_order_relaxed) != 0; }
  [[nodiscard]] bool pause_here() noexcept;
  void resume_here() noexcept;
  struct spawner;
  [[nodiscard]] static spawner& here() noexcept;
  [[nodiscard]] bool free(seat& one, int thread) noexcept;

  std::array<seat, most> seats_{};
  sleeping_on sleepers_;
  detail::seam::atomic<std::uint32_t> relying_{0};  // threads
  detail::seam::atomic<std::uint32_t> joined_{0};   // so often: racy
};

}  // namespace nearfork

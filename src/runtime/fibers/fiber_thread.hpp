// A thread for each fiber, for the option pin_waits. A task that waits blocks its thread, and the worker goes on with
// another fiber, on that fiber's thread. So all frames of a task tree run on one thread, and locks that know their
// owner work across joins. Each thread uses its fiber's stack, so that this_fiber() finds the fiber as usual.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <memory>

#include <nearfork/detail/seam.hpp>

#include "runtime/fibers/fiber_context.hpp"

namespace nearfork::detail {

class fiber_thread {
 public:
  /// For a thread that exists already: a worker's own.
  fiber_thread() noexcept = default;
  /// Ends the thread, which must be waiting for its turn. Returns when its stack is free.
  ~fiber_thread();
  fiber_thread(const fiber_thread&) = delete;
  fiber_thread& operator=(const fiber_thread&) = delete;

  /// A thread on `stack` that calls `entry` at its first turn. nullptr: the system refuses.
  [[nodiscard]] static std::unique_ptr<fiber_thread> start(const stack_bounds& stack, fiber_entry entry,
                                                           std::size_t span_bytes) noexcept;

  /// Called on this object's own thread: stops it and lets `next` go on. Returns at the next turn of this thread.
  void hand_over_to(fiber_thread& next) noexcept;

 private:
  enum class turn : std::uint32_t { wait, go_on, end };

  static void* thread_main(void* self) noexcept;
  void give(turn what) noexcept;
  void wait_for_turn() noexcept;

  // Written by the thread that gives the turn, reset by the thread that takes it. Release and acquire: the taker sees
  // all that the giver did.
  seam::atomic<std::uint32_t> turn_{static_cast<std::uint32_t>(turn::wait)};
  unsigned long thread_ = 0;  // pthread_t
  bool started_ = false;
  fiber_entry entry_ = nullptr;
  std::size_t span_bytes_ = 0;
  std::jmp_buf end_;  // the thread's first frame: the jump skips the fiber's frames, which hold nothing
};

}  // namespace nearfork::detail

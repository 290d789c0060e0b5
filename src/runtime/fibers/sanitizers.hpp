// What sanitizers must be told of each stack and each switch: base/sanitizer_calls.hpp says how they are found.
#pragma once

#include "base/sanitizer_calls.hpp"
#include "runtime/fibers/fiber_context.hpp"

namespace nearfork::sanitizers {

using detail::fiber_context;

/// `made` has an unused stack, or one whose pages were dropped.
void create(fiber_context& made);
/// `gone` does not run. Its stack is not used again as it is: its pages are dropped, or go to the system. Any thread
/// may call this.
void destroy(fiber_context& gone) noexcept;

inline void adopt_thread(fiber_context& thread) noexcept {
  if (__tsan_get_current_fiber != nullptr) thread.tsan_fiber = __tsan_get_current_fiber();
}
/// `thread` was left for the first time, and its own stack is this one. The stack may hold the only pointers to what
/// the thread's callers made.
void keep_thread(fiber_context& thread, const void* bottom, std::size_t bytes) noexcept;
/// The thread runs on its own stack again, for good.
void release_thread(fiber_context& thread) noexcept;

/// Flags 0: what the thread did before a switch happens before what it does afterwards. Users' thread_locals need that,
/// as fibers of one thread touch them in turn.
inline void start_switch(fiber_context& from, fiber_context& to) noexcept {
  if (checks_addresses()) __sanitizer_start_switch_fiber(&from.asan_fake_stack, to.stack.low, to.stack.bytes());
  if (checks_threads()) __tsan_switch_to_fiber(to.tsan_fiber, 0);
}

/// Called on the new stack. The bounds of a thread's own stack become known here, at the first switch away from it.
inline void finish_switch(fiber_context& from, fiber_context& to) noexcept {
  if (!checks_addresses()) return;
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(to.asan_fake_stack, &bottom, &bytes);
  if (from.stack.low == nullptr) keep_thread(from, bottom, bytes);
}

/// True: a sanitizer explains faults itself.
[[nodiscard]] inline bool handle_faults() noexcept {
  return checks_addresses() || checks_threads();
}

}  // namespace nearfork::sanitizers

// Switches stacks with Boost.Context, tells the sanitizers, and keeps exception state per fiber.
#pragma once

#include <cstddef>
#include <memory>

#include <nearfork/detail/fiber.hpp>

#include "runtime/fibers/fiber_stack.hpp"

namespace nearfork {
class crew;
}

namespace nearfork::detail {

class fiber_thread;

/// The state of a suspended stack: a fiber's, or a thread's own while its worker runs fibers.
struct fiber_context {
  void* registers = nullptr;    // Boost.Context's handle, valid while suspended
  stack_bounds stack;           // of a fiber; empty for a thread's own stack until its first switch
  fiber* next_spare = nullptr;  // link in a worker's or the runtime's list of spares
  crew* home = nullptr;         // whose workers run the fiber; unlike fiber::runner it never changes
  // The C++ ABI's exception state (caught exceptions, count of uncaught ones), which the ABI keeps per thread.
  void* caught_exceptions = nullptr;
  unsigned uncaught_exceptions = 0;
  void* asan_fake_stack = nullptr;
  void* tsan_fiber = nullptr;
  std::unique_ptr<fiber_thread> thread;  // the fiber's own, under pin_waits; else nullptr

  fiber_context() noexcept;
  ~fiber_context();
};

}  // namespace nearfork::detail

namespace nearfork {

using fiber_entry = void (*)() noexcept;  // never returns

/// What runs a fiber: the threads of workers, or a thread of its own (fiber_thread.hpp).
enum class carriers : std::uint8_t { workers, own_threads };

/// From now on the calling thread runs fibers whose spans have `span_bytes`.
void mark_worker_thread(std::size_t span_bytes) noexcept;

/// Makes `context` start `entry` on its stack at the first switch. False: the system gave no thread.
[[nodiscard]] bool prepare_context(detail::fiber_context& context, fiber_entry entry, std::size_t span_bytes,
                                   carriers by);
/// Makes `context` the calling thread's own stack, to switch away from and back to.
void adopt_thread_stack(detail::fiber_context& context, carriers by);
/// Ends that. The thread runs on its own stack.
void release_thread_stack(detail::fiber_context& context) noexcept;
void release_context(detail::fiber_context& context) noexcept;

/// How many exceptions are in flight on the calling thread, in the fiber that runs there. For other threads to read, as
/// an atomic.
[[nodiscard]] unsigned* uncaught_exceptions_here() noexcept;

/// Suspends `from`, which runs now, and resumes `to`. Returns when `from` is resumed, perhaps on another thread.
void switch_context(detail::fiber_context& from, detail::fiber_context& to) noexcept;

}  // namespace nearfork

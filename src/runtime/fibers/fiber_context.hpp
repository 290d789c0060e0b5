// Switching stacks: Boost.Context jumps, the sanitizers told, exception state kept per fiber.
#pragma once

#include <cstddef>
#include <memory>

#include <nearfork/detail/fiber.hpp>

#include "runtime/fibers/fiber_stack.hpp"

namespace nearfork::detail {

class fiber_thread;

/// What a suspended stack needs to go on: a fiber's, or a thread's own while its worker runs fibers.
struct fiber_context {
  void* registers = nullptr;    // Boost.Context's handle, valid while suspended
  stack_bounds stack;           // of a fiber; empty for a thread's own stack until its first switch
  fiber* next_spare = nullptr;  // link while it lies in a worker's or the runtime's list of spares
  // The C++ ABI's exception state (caught exceptions, count of uncaught ones), per thread by itself.
  void* caught_exceptions = nullptr;
  unsigned uncaught_exceptions = 0;
  void* asan_fake_stack = nullptr;
  void* tsan_fiber = nullptr;
  std::unique_ptr<fiber_thread> thread;  // its own, under pin_waits; else nullptr

  fiber_context() noexcept;
  ~fiber_context();
};

}  // namespace nearfork::detail

namespace nearfork {

using fiber_entry = void (*)() noexcept;  // never returns

/// What runs a fiber: whichever worker's thread, or a thread of its own (fiber_thread.hpp).
enum class carriers : std::uint8_t { workers, own_threads };

/// The calling thread runs fibers of such spans from now on.
void mark_worker_thread(std::size_t span_bytes) noexcept;

/// Makes `context` start `entry` on its stack at the first switch. False: no thread could be had.
[[nodiscard]] bool prepare_context(detail::fiber_context& context, fiber_entry entry, std::size_t span_bytes,
                                   carriers by);
/// The calling thread's own stack, to switch away from and back to.
void adopt_thread_stack(detail::fiber_context& context, carriers by);
void release_context(detail::fiber_context& context) noexcept;

/// Suspends `from`, which runs now, and goes on with `to`. Returns when somebody switches back, maybe on another
/// thread.
void switch_context(detail::fiber_context& from, detail::fiber_context& to) noexcept;

}  // namespace nearfork

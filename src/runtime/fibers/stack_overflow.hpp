// A stack overflow ends the process with a message that says so.
#pragma once

#include <cstddef>

#include <cstdint>

#include <nearfork/detail/fiber.hpp>

namespace nearfork {

/// Which fibers run on a worker, for a signal handler on its thread.
struct overflow_watch {
  const detail::seam::atomic<detail::fiber*>* present = nullptr;  // runs there
  detail::fiber* const* left = nullptr;                           // is being switched away from
  std::uint32_t worker = 0;
};

/// Installs the process's SIGSEGV handler at the first call; a handler that was there before gets all other faults.
/// Leaves sanitizers' handlers alone.
void install_overflow_handler();

/// From now on the calling thread runs these fibers. What `here` points to must live as long as the thread.
void expect_overflows(const overflow_watch& here) noexcept;

/// For a thread that runs fibers: a stack for the handler, since the fiber's own stack is used up.
class overflow_stack {
 public:
  overflow_stack();
  ~overflow_stack();
  overflow_stack(const overflow_stack&) = delete;
  overflow_stack& operator=(const overflow_stack&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace nearfork

// A stack that ran over ends with a message that says so.
#pragma once

#include <cstddef>

namespace nearfork::detail {
struct worker;
}

namespace nearfork {

/// Installs the process's SIGSEGV handler at the first call; one that was there before gets all other faults.
/// Leaves sanitizers' handlers alone.
void install_overflow_handler();

/// The calling thread runs the fibers of `whose` from now on.
void expect_overflows_of(const detail::worker& whose) noexcept;

/// For a thread that runs fibers: a stack for the handler, since the fiber's own is used up.
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

// The runtime of the process: started at the first use, stopped at exit where that is safe, and never destroyed. A
// child made by fork() has the memory of its parent's, and starts one of its own.
#include <cstdlib>
#include <mutex>

#include <nearfork/runtime.hpp>

#include "base/fork_order.hpp"
#include "base/process_number.hpp"
#include "base/sanitizer_calls.hpp"
#include "runtime/fibers/exit_watch.hpp"
#include "runtime/lifetime/process_end.hpp"
#include "runtime/lifetime/runtime_outputs.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace nearfork {
namespace {

/// Stopped runtimes stay, because the program may still have references to them.
struct shared_runtime {
  const config settings = with_checked_outputs(config::from_environment());
  runtime made{settings};
  const own_process started_in;
  shared_runtime* before = nullptr;
};
constinit shared_runtime* last_made = nullptr;  // guarded by `starting`
constinit std::mutex starting;
constinit seam::atomic<shared_runtime*> in_use{nullptr};

/// nullptr: there is none, or it is that of the process from which this one was forked.
shared_runtime* live_here() noexcept {
  shared_runtime* const live = in_use.load(seam::memory_order_acquire);
  return live != nullptr && live->started_in.is_here() ? live : nullptr;
}

void end_at_exit() noexcept {
  keep_out_second_exit();
  const exit_waits until_done;
  shared_runtime* const live = live_here();
  if (live == nullptr) return;
  leave_outputs_once(live->made.implementation(), live->settings);
  if (live->made.implementation().try_end()) in_use.store(nullptr, seam::memory_order_release);
}

}  // namespace

// Not a function's static: the C++ library would have a fork()'s child wait for the parent's thread that starts the
// runtime.
runtime& process_runtime() {
  if (shared_runtime* const live = live_here()) {
    sanitizers::take_over(&in_use);
    return live->made;
  }
  const no_fork_meanwhile until_started;
  const std::lock_guard lock(starting);
  if (shared_runtime* const live = live_here()) return live->made;
  auto* const made = new shared_runtime;
  made->before = last_made;
  last_made = made;
  sanitizers::hand_over(&in_use);
  in_use.store(made, seam::memory_order_release);
  // Registered now, so that static objects that are made later still find the runtime. In vain if exit() is nearly
  // done.
  (void)std::atexit(end_at_exit);
  return made->made;
}

}  // namespace nearfork

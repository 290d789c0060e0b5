// The end of the process, as far as runtimes must know of it.
//
// exit() runs on any thread, also on a worker, while others still run tasks. It must not wait for what may never come, and not for
// itself. So at exit a runtime is stopped if nothing uses it; else its threads are left to end with the process.
#pragma once

#include <nearfork/config.hpp>

namespace nearfork {

class scheduler;

/// exit() has begun, as far as is known: surely where it was called in a task, or where expect_end() came after the
/// static object's construction that is destroyed now.
[[nodiscard]] bool process_is_ending() noexcept;
/// For a worker's thread: exit() first destroys the thread_locals of the thread that calls it.
void watch_for_exit_in_tasks() noexcept;
/// Static objects that are complete by now will see process_is_ending() in their destructors. Counts the first 32 calls only.
void expect_end() noexcept;

/// Where exit() goes on: returns in the call that came first. Another one's thread sleeps until the process is gone, as with glibc
/// 2.41; older ones let both go on, and free their list of handlers twice. Tasks come here before any handler is called;
/// of two other threads the second may have come too late to be kept out.
void keep_out_second_exit() noexcept;

/// Reports and recordings of runtimes that nobody has destroyed by then are written at exit. `of` must not be gone before
/// leave_outputs_once().
void remember_for_exit(const scheduler& of, const config& settings);
/// What settings.report and settings.record ask for, unless exit() has written it, or does, which is waited for. Failures are
/// told on stderr.
void leave_outputs_once(const scheduler& of, const config& settings) noexcept;

/// While one lives, exit() in another thread waits before it ends the process.
class exit_waits {
 public:
  exit_waits() noexcept;
  ~exit_waits();
  exit_waits(const exit_waits&) = delete;
  exit_waits& operator=(const exit_waits&) = delete;
};

/// Keeps what cannot be destroyed any more where leak checkers find it.
void leave_to_the_system(scheduler& of) noexcept;

}  // namespace nearfork

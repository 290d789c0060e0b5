// The end of the process, as far as runtimes must know of it.
//
// exit() runs on any thread, also on a worker, while others still run tasks. It must not wait for what may never come,
// and not for itself. So at exit a runtime is stopped if nothing uses it; else its threads are left to end with the
// process.
#pragma once

#include <nearfork/config.hpp>

namespace nearfork {

class scheduler;

/// Reports and recordings of runtimes that nobody has destroyed by then are written at exit. `of` must not be gone
/// before leave_outputs_once().
void remember_for_exit(const scheduler& of, const config& settings);
/// What settings.report and settings.record ask for, unless exit() has written it, or does, which is waited for.
/// Failures are told on stderr.
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

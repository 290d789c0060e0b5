// The end of the process, as far as runtimes must know of it.
//
// exit() may run on any thread, also on a worker's, while other threads still run tasks. exit() must not wait for what
// may never come, and not for itself. So at exit a runtime is stopped if nothing uses it; else its threads end with the
// process.
#pragma once

#include <nearfork/config.hpp>

namespace nearfork {

class scheduler;

/// If the runtime is not destroyed by then, its outputs are written at exit. `of` must live until
/// leave_outputs_once().
void remember_for_exit(const scheduler& of, const config& settings);
/// Writes the outputs that `settings` ask for, unless exit() has written it. If exit() is writing it,
/// waits for that. Reports failures on stderr.
void leave_outputs_once(const scheduler& of, const config& settings) noexcept;

/// While an exit_waits lives, exit() in another thread waits before it ends the process.
class exit_waits {
 public:
  exit_waits() noexcept;
  ~exit_waits();
  exit_waits(const exit_waits&) = delete;
  exit_waits& operator=(const exit_waits&) = delete;
};

/// Keeps a scheduler that cannot be destroyed any more where leak checkers find it.
void leave_to_the_system(scheduler& of) noexcept;

}  // namespace nearfork

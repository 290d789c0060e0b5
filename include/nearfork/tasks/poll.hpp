#pragma once

#include <nearfork/detail/language.hpp>

#include <type_traits>
#include <utility>

#include <nearfork/tasks/suspend.hpp>

namespace nearfork {

/// Something outside that must be asked whether anything has happened, because it calls nobody: a message library, a
/// device, a ring in shared memory. Tasks wait for it in suspend(poller, f).
///
/// A poller outlives all runtimes whose tasks waited with it: most are static objects.
class poller {
 public:
  /// Asks, and resumes the tasks whose events have happened: resumer::try_resume(), try_fail(). Called on any thread,
  /// on a worker between two tasks: so it should take microseconds, and it may not wait, for a task least of all. The
  /// workers of one runtime call it one at a time; those of two runtimes may call it at once. Returns: whether anything
  /// has happened; then the runtime asks again sooner.
  virtual bool poll() noexcept = 0;

 protected:
  poller() = default;
  ~poller() = default;
};

namespace detail {

/// The running task's place among those for which its runtime polls.
class polled_wait {
 public:
  /// Throws nearfork::error if the runtime's tasks wait with too many pollers.
  explicit polled_wait(poller& asked);
  ~polled_wait();
  polled_wait(const polled_wait&) = delete;
  polled_wait& operator=(const polled_wait&) = delete;

  /// frame.wait(). Call it once.
  void wait(suspended_frame& frame);

 private:
  poller& asked_;
  void* const watch_;  // of the task's crew, where it stays; nullptr: on an outside thread
};

}  // namespace detail

/// As suspend(f), and until the task goes on, the workers of its runtime ask `asked` from time to time. A worker that
/// looks for work asks all the while. Where all workers sleep, one of them wakes up to ask: every 20 us at first, and
/// every millisecond after 8 ms of silence. Workers that are busy ask between two tasks, and a thread asks where all
/// tasks are long, every config::mpi_poll_us. While no task waits, nobody asks.
///
///     struct bell : nearfork::poller {
///       bool poll() noexcept override { return rung() && waiting->try_resume(); }
///       std::optional<nearfork::resumer> waiting;
///     };
///     static bell door;
///     nearfork::suspend(door, [](nearfork::resumer done) { door.waiting = done; });
///
/// On an outside thread the call asks by itself, and sleeps between.
/// Complexity: as suspend(f). Thread-safety: any thread.
/// Throws: as suspend(f); nearfork::error if the tasks of the runtime wait with more than eight pollers.
template <class F>
  requires std::is_invocable_v<F, resumer>
void suspend(poller& asked, F&& f) {
  detail::polled_wait polled(asked);
  detail::suspended_frame frame;
  std::forward<F>(f)(frame.make_resumer());
  polled.wait(frame);
}

}  // namespace nearfork

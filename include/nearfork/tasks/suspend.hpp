#pragma once

#include <nearfork/detail/language.hpp>

#include <exception>
#include <type_traits>
#include <utility>

#include <nearfork/detail/callable.hpp>

namespace nearfork {

namespace detail {
class suspended_call;
}

/// Ends the wait of one suspend(). Copies are equal: one of them resumes, once.
///
/// A resumer may outlive the wait and the runtime. If the last copy is destroyed and none has resumed, suspend() throws
/// nearfork::error: a wait that nobody can end does not hang.
/// Complexity: resume() costs about as much as waking a worker. Thread-safety: different threads may use different
/// copies. A signal handler may not use a resumer.
class resumer {
 public:
  /// Another resumer of the same wait.
  resumer(const resumer& other) noexcept;
  /// The resumer of the same wait, in place of `other`, which can then resume nothing.
  resumer(resumer&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  /// Gives up its own wait, and takes that of `other`.
  resumer& operator=(resumer other) noexcept {
    std::swap(of_, other.of_);
    return *this;
  }
  ~resumer();

  /// Lets suspend() return. What this thread did before is visible after it. From any thread, also inside the callable
  /// of suspend().
  /// Throws: nearfork::error if the wait was ended already, or if this resumer was moved from.
  void resume() const;
  /// Lets suspend() throw `failure`. Throws: as resume(); nearfork::error if `failure` is null.
  void fail(std::exception_ptr failure) const;
  /// resume() for whoever may come late. False: the wait was ended already.
  [[nodiscard]] bool try_resume() const noexcept;
  /// fail() for whoever may come late. False: the wait was ended already.
  [[nodiscard]] bool try_fail(std::exception_ptr failure) const noexcept;

 private:
  friend class detail::suspended_call;
  explicit resumer(detail::suspended_call& of) noexcept : of_(&of) {}

  detail::suspended_call* of_;  // nullptr: moved from
};

namespace detail {

/// Says that tasks of this process are going to wait for each other in suspend(), before the first one does. Groups
/// then keep all their tasks for later where they would run some at once: see task_group::spawn().
void expect_waiting_tasks() noexcept;
[[nodiscard]] bool expects_waiting_tasks() noexcept;

/// The side of suspend(): makes the shared state, and gives up its share at the end.
class suspended_frame {
 public:
  /// Throws nearfork::cancelled if the running task is cancelled; std::bad_alloc.
  suspended_frame();
  ~suspended_frame();
  suspended_frame(const suspended_frame&) = delete;
  suspended_frame& operator=(const suspended_frame&) = delete;

  /// Call it once.
  [[nodiscard]] resumer make_resumer() noexcept;
  /// Throws what resumer::fail() was given; nearfork::error if all resumers are gone.
  void wait();

 private:
  friend class polled_wait;
  suspended_call* call_;
};

}  // namespace detail

/// Suspends the running task until another thread, or another task, resumes it: for timers, input and output, and
/// queues that are no part of nearfork. The worker goes on with other work meanwhile, and the task may go on on another
/// worker of its runtime. An outside thread sleeps.
///
///     int answer = 0;
///     std::thread server;
///     nearfork::run([&] {
///       nearfork::suspend([&](nearfork::resumer done) {
///         server = std::thread([&answer, done] { answer = 42; done.resume(); });
///       });
///     });
///     server.join();
///
/// Calls f with a resumer, here and now, and then waits. f may call the resumer itself, or hand it to any thread, which
/// may call it before f returns. f should not wait for anything else.
///
/// If the running task is cancelled already, f is not called. A cancellation that comes later does not end the wait:
/// cancel the event by its own means, and resume or fail(). A runtime's destructor waits for suspended tasks.
/// Complexity: allocates once.
/// Throws: what f throws: then there is no wait, and try_resume() and try_fail() of its resumers return false; what
/// resumer::fail() was given; nearfork::error if all resumers are destroyed and none has resumed; nearfork::cancelled
/// if the task was cancelled before the call; std::bad_alloc.
/// Thread-safety: any thread.
template <class F>
  requires std::is_invocable_v<F, resumer>
void suspend(F&& f) {
  detail::suspended_frame frame;
  std::forward<F>(f)(frame.make_resumer());
  frame.wait();
}

}  // namespace nearfork

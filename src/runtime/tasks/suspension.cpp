#include <nearfork/detail/tasks/suspension.hpp>

#include <chrono>
#include <thread>

#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/error.hpp>
#include <nearfork/tasks/poll.hpp>
#include <nearfork/tasks/suspend.hpp>

#include "base/monotonic_clock.hpp"
#include "base/process_number.hpp"
#include "base/sanitizer_calls.hpp"
#include "runtime/forks/fork_cancelling.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {
namespace {

/// How long an outside thread asks without a pause.
constexpr std::uint64_t patience_ns = 50'000;

constinit seam::atomic<bool> waiting_is_expected{false};

}  // namespace

class suspended_call {
 public:
  [[nodiscard]] static resumer first_resumer(suspended_call& of) noexcept { return resumer(of); }

  /// A child made by fork() has the state, but no fiber that waits.
  [[nodiscard]] bool is_of_this_process() const noexcept { return process_ == process_number(); }
  [[nodiscard]] bool end(suspension::ending how, std::exception_ptr failure) noexcept {
    if (!is_of_this_process() || !shared_.claim()) return false;
    failure_ = std::move(failure);
    sanitizers::hand_over(this);
    if (fiber* const waiter = shared_.finish(how)) make_ready(*waiter);
    return true;
  }
  void add_resumer() noexcept { shared_.add_resumer(); }
  void drop_resumer() noexcept {
    if (!is_of_this_process()) return;
    sanitizers::hand_over(this);
    destroy_if(shared_.drop_resumer([](fiber& waiter) { make_ready(waiter); }));
  }
  /// Also where there was no wait: then nobody can end it any more.
  void drop_call() noexcept {
    (void)shared_.claim();
    sanitizers::hand_over(this);
    destroy_if(shared_.drop_call());
  }

  /// By a thread that is no worker.
  void poll_until_done(poller& asked) {
    std::uint64_t heard = now_ns();
    while (!shared_.awaited().happened()) {
      const std::uint64_t now = now_ns();
      if (asked.poll()) heard = now;
      else if (now - heard < patience_ns) seam::pause();
      else std::this_thread::sleep_for(std::chrono::nanoseconds(nap_ns_after(now - heard)));
    }
  }

  void wait() {
    await(shared_.awaited());
    sanitizers::take_over(this);
    switch (shared_.ended()) {
      case suspension::ending::resumed: return;
      case suspension::ending::failed: rethrow_failure(std::move(failure_));
      case suspension::ending::abandoned:
        throw error(
            "nearfork: a task that waits in suspend() can never be resumed, because all its resumers were destroyed; "
            "keep a copy of the resumer until resume() or fail() was called");
    }
  }

 private:
  static void make_ready(fiber& waiter) noexcept { waiter.runner->home.make_ready(waiter); }
  void destroy_if(bool last) noexcept {
    if (!last) return;
    sanitizers::take_over(this);
    delete this;
  }

  const int process_ = process_number();
  suspension shared_;
  std::exception_ptr failure_;  // written by the claimer
};

/// Looks first: the line is then shared by all who read it.
void expect_waiting_tasks() noexcept {
  if (!expects_waiting_tasks()) waiting_is_expected.store(true, seam::memory_order_relaxed);
}

bool expects_waiting_tasks() noexcept {
  return waiting_is_expected.load(seam::memory_order_relaxed);
}

/// Only on a worker may tasks be counted: an outside thread asks by itself.
polled_wait::polled_wait(poller& asked)
    : asked_(asked), watch_(thread_mark() ? &this_fiber().runner->home.polling() : nullptr) {
  if (watch_ != nullptr) static_cast<poll_watch*>(watch_)->task_waits(asked);
}

polled_wait::~polled_wait() {
  if (watch_ != nullptr) static_cast<poll_watch*>(watch_)->task_goes_on(asked_);
}

void polled_wait::wait(suspended_frame& frame) {
  if (watch_ == nullptr) frame.call_->poll_until_done(asked_);
  frame.call_->wait();
}

suspended_frame::suspended_frame() {
  if (thread_mark() && must_stop_at(this_fiber(), this_fiber().jobs.owner_head())) throw_cancelled();
  expect_waiting_tasks();
  call_ = new suspended_call;
}

suspended_frame::~suspended_frame() {
  call_->drop_call();
}

resumer suspended_frame::make_resumer() noexcept {
  return suspended_call::first_resumer(*call_);
}

void suspended_frame::wait() {
  call_->wait();
}

}  // namespace nearfork::detail

namespace nearfork {
namespace {

[[noreturn]] void refuse(const detail::suspended_call* of) {
  if (of == nullptr) throw error("nearfork: a resumer that was moved from cannot resume; use the one it was moved to");
  if (!of->is_of_this_process())
    throw error("nearfork: this resumer was made before fork(), and what it resumes exists only in the parent process");
  throw error("nearfork: a task was resumed twice; call resume() or fail() once, or use try_resume()");
}

}  // namespace

resumer::resumer(const resumer& other) noexcept : of_(other.of_) {
  if (of_ != nullptr) of_->add_resumer();
}

resumer::~resumer() {
  if (of_ != nullptr) of_->drop_resumer();
}

bool resumer::try_resume() const noexcept {
  return of_ != nullptr && of_->end(detail::suspension::ending::resumed, nullptr);
}

bool resumer::try_fail(std::exception_ptr failure) const noexcept {
  if (failure == nullptr)
    failure = std::make_exception_ptr(error("nearfork: a task that waits was failed without an exception"));
  return of_ != nullptr && of_->end(detail::suspension::ending::failed, std::move(failure));
}

void resumer::resume() const {
  if (!try_resume()) refuse(of_);
}

void resumer::fail(std::exception_ptr failure) const {
  if (failure == nullptr)
    throw error("nearfork: resumer::fail() was given no exception; give it one, or call resume()");
  if (!try_fail(std::move(failure))) refuse(of_);
}

}  // namespace nearfork

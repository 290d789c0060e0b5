// How a coroutine waits for a task of a dataflow graph, without a thread or fiber.
//
// [FW1] The coroutine and the task both arrive at the wait. The later one lets the coroutine go on: the coroutine
//       itself by not suspending, the task by a job that resumes it. So the coroutine is never resumed before it is
//       suspended, and the earlier side does not touch the wait afterwards. Mutant: meeting_relaxed.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/tasks/meeting.hpp>

namespace nearfork {
class dataflow;
}

namespace nearfork::detail {

class buffer_state;
class dataflow_engine;

/// Part of an awaiter, which lies in the coroutine's frame.
class flow_wait {
 public:
  /// For the buffer `of`, which is not gone before the wait; `where` the coroutine waits.
  flow_wait(const dataflow& graph, const buffer_state* of, const call_site& where) noexcept;
  flow_wait(const flow_wait&) = delete;
  flow_wait& operator=(const flow_wait&) = delete;

  /// Before the task is added. Throws nearfork::error if the graph is kept: a coroutine goes on once.
  void set_waiter(std::coroutine_handle<> waiter) {
    refuse_kept_graph();
    waiter_ = waiter;
  }
  /// By the coroutine, after the task was added. False: it must not suspend.
  [[nodiscard]] bool must_suspend() noexcept { return !sides_.arrive(); }
  /// By the task. The wait may be gone afterwards.
  void task_ran() noexcept {
    if (sides_.arrive()) resume(waiter_, graph_);
  }
  /// By a task that will not run.
  void task_dropped() noexcept {
    failure_ = why_dropped();
    task_ran();
  }
  /// By the coroutine, when it goes on.
  void throw_if_dropped() {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void refuse_kept_graph() const;
  /// nearfork::cancelled, the graph's first failure, or nearfork::error.
  [[nodiscard]] std::exception_ptr why_dropped() noexcept;
  /// On a worker of the current runtime, soon; without memory, or where no runtime takes jobs, here. By a task of
  /// `graph`, or where it is dropped.
  static void resume(std::coroutine_handle<> waiter, dataflow_engine& graph) noexcept;

  dataflow_engine& graph_;
  const buffer_state* of_;  // nullptr: of a handle without a buffer
  call_site where_;
  meeting sides_;
  std::coroutine_handle<> waiter_;
  std::exception_ptr failure_;
};

/// The callable of the task that a coroutine waits for. Whether it is called or not, the wait ends.
template <class Span>
class flow_wait_end {
 public:
  explicit flow_wait_end(flow_wait& of) noexcept : of_(&of) {}
  flow_wait_end(flow_wait_end&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  flow_wait_end& operator=(flow_wait_end&&) = delete;
  ~flow_wait_end() {
    if (of_ != nullptr) of_->task_dropped();
  }
  void operator()(Span /*written*/) noexcept { std::exchange(of_, nullptr)->task_ran(); }

 private:
  flow_wait* of_;
};

}  // namespace nearfork::detail

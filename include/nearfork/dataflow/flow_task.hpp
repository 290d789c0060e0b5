#pragma once

#include <nearfork/detail/language.hpp>

#include <version>

#ifdef __cpp_impl_coroutine  // clang 14 has no coroutines that the standard library accepts

#include <coroutine>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/call_site.hpp>
#include <nearfork/dataflow.hpp>
#include <nearfork/detail/dataflow/flow_promise.hpp>
#include <nearfork/detail/dataflow/flow_wait.hpp>

namespace nearfork {

namespace detail {
[[noreturn]] void refuse_empty_flow_task();
}

/// The result of a coroutine, which may wait for buffers of dataflow graphs (written()) and for other coroutines
/// without occupying a worker. One owner: a flow_task can be moved, not copied.
///
///     nearfork::flow_task<double> larger_half(nearfork::dataflow& graph, nearfork::buffer<double> of) {
///       const std::span<const double> all = co_await nearfork::written(graph, of);
///       co_return all[0] > all[1] ? all[0] : all[1];
///     }
///
/// The coroutine starts when it is called, in the caller, and runs there up to its first co_await that must wait. Then
/// the caller goes on. When what the coroutine waits for is there, it continues as a task of the runtime.
/// The coroutine may wait for its graph's buffers, but also call anything that a task of async() may call.
///
/// Dropping a flow_task is allowed: the coroutine goes on, and its result or exception is dropped. What the coroutine
/// refers to, also its graph, must live until it has ended: so call get() before the graph ends. A parameter should be
/// a value where it can: a reference to a temporary is dangling after the first co_await.
/// Thread-safety: different threads may use different flow_tasks.
template <class R = void>
class [[nodiscard]] flow_task {
  static_assert(!std::is_reference_v<R>, "a coroutine returns a value; return a pointer to refer to something");

 public:
  /// Not for users.
  class promise_type final : public detail::flow_promise_of<promise_type, R> {
   public:
    /// Not for users.
    [[nodiscard]] flow_task get_return_object() noexcept {
      return flow_task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
  };

  /// A flow_task without a coroutine.
  flow_task() noexcept = default;
  /// Takes the coroutine of `other`, which has none afterwards.
  flow_task(flow_task&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  /// Gives up its own coroutine, and takes that of `other`.
  flow_task& operator=(flow_task other) noexcept {
    std::swap(of_, other.of_);
    return *this;
  }
  ~flow_task() { let_go(); }

  /// False after get(), co_await, or a move, and for a default-made flow_task. Then only valid(), assignment and the
  /// destructor may be called; the other functions throw nearfork::error.
  [[nodiscard]] bool valid() const noexcept { return of_ != nullptr; }
  /// True once the coroutine has ended: get() returns at once. Complexity: one load.
  [[nodiscard]] bool ready() const { return promise().ready(); }
  /// Waits for the end of the coroutine, and takes its result. On a worker the running task is suspended; an outside
  /// thread sleeps. Afterwards the flow_task is not valid(). Do not call it in a coroutine, where co_await waits.
  /// Throws: what the coroutine threw.
  R get() {
    promise().wait();
    flow_task last(std::move(*this));
    return last.promise().take();
  }

  /// `co_await std::move(task)`, in another coroutine: waits for the end of the coroutine without occupying a worker,
  /// and takes its result. Throws: what the coroutine threw.
  [[nodiscard]] auto operator co_await() && {
    struct awaiter {
      flow_task of;
      [[nodiscard]] bool await_ready() const { return of.ready(); }
      [[nodiscard]] bool await_suspend(std::coroutine_handle<> waiter) { return of.promise().set_continuation(waiter); }
      R await_resume() { return of.promise().take(); }
    };
    (void)promise();
    return awaiter{std::move(*this)};
  }

 private:
  explicit flow_task(std::coroutine_handle<promise_type> of) noexcept : of_(of) {}
  [[nodiscard]] promise_type& promise() const {
    if (of_ == nullptr) detail::refuse_empty_flow_task();
    return of_.promise();
  }
  void let_go() noexcept {
    if (of_ != nullptr && of_.promise().let_go()) of_.destroy();
  }

  std::coroutine_handle<promise_type> of_;
};

namespace detail {

template <class T>
class written_buffer {
 public:
  written_buffer(dataflow& graph, const buffer<T>& of, const call_site& where) noexcept
      : graph_(graph), of_(of), where_(where), wait_(graph, of.parts(access_kind::read).buffer, where) {}

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> waiter) {
    wait_.set_waiter(waiter);
    // If this throws, the coroutine has not arrived, so it is not resumed twice.
    graph_.task({in(of_)}, flow_wait_end<std::span<const T>>(wait_), where_);
    return wait_.must_suspend();
  }
  [[nodiscard]] std::span<const T> await_resume() {
    wait_.throw_if_dropped();
    return of_.view();
  }

 private:
  dataflow& graph_;
  buffer<T> of_;
  call_site where_;
  flow_wait wait_;
};

}  // namespace detail

/// `co_await written(graph, b)`, in a coroutine: waits until a task has written the buffer, and gives its elements. No
/// worker is occupied meanwhile. The wait is a task of the graph that reads the buffer. The span is valid while a
/// handle of the buffer lives.
///
///     nearfork::flow_task<int> first_of(nearfork::dataflow& graph, nearfork::buffer<int> of) {
///       co_return (co_await nearfork::written(graph, of))[0];
///     }
///     int first_of_a_graph() {
///       nearfork::dataflow graph;
///       const auto numbers = graph.buffer<int>(2);
///       auto first = first_of(graph, numbers);
///       graph.task({nearfork::out(numbers)}, [](std::span<int> all) { all[0] = all[1] = 42; });
///       graph.wait();
///       return first.get();
///     }
///
/// co_await throws: nearfork::cancelled if the graph is cancelled first; the first exception of a task of the graph, if
/// the task that writes the buffer failed or was skipped; nearfork::error if no task writes the buffer until somebody
/// waits for the graph, and as dataflow::task() does.
template <class T>
[[nodiscard]] auto written(dataflow& graph, const buffer<T>& of,
                           call_site where = {__builtin_FILE(), __builtin_LINE()}) noexcept {
  return detail::written_buffer<T>(graph, of, where);
}

}  // namespace nearfork

#endif

#pragma once

#include <nearfork/detail/language.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#include <nearfork/detail/tasks/async_job.hpp>

namespace nearfork {

namespace detail {
/// Makes futures, for async().
struct future_of;
[[noreturn]] void refuse_empty_future();
}  // namespace detail

/// The result of a task that async() started. One owner: a future can be moved, not copied.
///
///     nearfork::future<int> later = nearfork::async([] { return 42; });
///     std::printf("%d\n", later.get());
///
/// Dropping a future is allowed: the task runs all the same, and its result or exception is dropped.
/// Thread-safety: different threads may use different futures.
template <class R>
class future {
 public:
  /// A future without a task.
  future() noexcept = default;

  /// False after get(), after a move, and for a default-made future. Then only valid(), assignment and the destructor
  /// may be called; the other functions throw nearfork::error.
  [[nodiscard]] bool valid() const noexcept { return shared_ != nullptr; }
  /// True once the task is done: get() and wait() return at once. Complexity: one load.
  [[nodiscard]] bool ready() const { return shared().ready(); }
  /// Returns when the task is done. On a worker the running task is suspended, and the worker goes on with other work;
  /// an outside thread sleeps. A cancellation of the running task does not end the wait.
  /// Throws: nearfork::error in a child made by fork() if the task was not done before, because the child has no
  /// workers.
  void wait() const { shared().wait(); }
  /// Waits, and takes the result: afterwards the future is not valid().
  /// Returns: what the task returned. Throws: what the task threw; as wait().
  R get() {
    shared().wait();
    const auto last = std::exchange(shared_, nullptr);
    last->throw_if_failed();
    if constexpr (std::is_void_v<R>) {
      (void)last->take();
    } else if constexpr (std::is_reference_v<R>) {
      return static_cast<R>(*last->take());
    } else {
      return last->take();
    }
  }

 private:
  friend struct detail::future_of;
  using shared_state = std::unique_ptr<detail::async_result<R>, detail::let_go_of_async>;
  explicit future(shared_state shared) noexcept : shared_(std::move(shared)) {}
  [[nodiscard]] detail::async_result<R>& shared() const {
    if (shared_ == nullptr) detail::refuse_empty_future();
    return *shared_;
  }

  shared_state shared_;
};

}  // namespace nearfork

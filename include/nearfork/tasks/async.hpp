#pragma once

#include <nearfork/detail/language.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/tasks/async_job.hpp>
#include <nearfork/runtime.hpp>
#include <nearfork/tasks/future.hpp>

namespace nearfork {

namespace detail {

template <class F>
class async_task final : public async_result<result_of<F>> {
 public:
  template <class From>
  async_task(From&& f, const call_site& where)
      : async_result<result_of<F>>(kind_of<&execute>, where), f_(std::forward<From>(f)) {}
  async_task(const async_task&) = delete;
  async_task& operator=(const async_task&) = delete;
  ~async_task() noexcept override {
    if (has_callable_) drop_callable();
  }

 private:
  static void execute(job& self) noexcept {
    auto& me = static_cast<async_task&>(self);
    me.execute_awaited({&call_and_drop, &me});
  }
  /// The callable is destroyed before the future becomes ready. Its end may throw, too, as at the end of a scope: so no
  /// object of this frame owns it.
  static void call_and_drop(void* data) {
    auto& me = *static_cast<async_task*>(data);
    try {
      me.make_from(me.f_);
    } catch (...) {
      me.drop_callable();
      throw;
    }
    me.drop_callable();
  }
  void drop_callable() {
    has_callable_ = false;
    std::destroy_at(std::addressof(f_));
  }

  bool has_callable_ = true;
  union {
    F f_;
  };
};

struct future_of {
  template <class F>
  static auto task(runtime* home, F&& f, const call_site& where) -> future<result_of<std::decay_t<F>>> {
    require_movable_results<result_of<std::decay_t<F>>>();
    auto made = std::make_unique<async_task<std::decay_t<F>>>(std::forward<F>(f), where);
    made->enter(home, submitted_job::among::awaited);
    using result = future<result_of<std::decay_t<F>>>;
    return result(typename result::shared_state(made.release()));
  }
};

}  // namespace detail

/// Starts a task, and returns a future for its result: a copy of f, or f itself moved. The task runs once, later, on
/// any worker of the current runtime (this_runtime::get()).
///
///     auto left = nearfork::async([] { return 20; });
///     auto right = nearfork::async([] { return 22; });
///     std::printf("%d\n", left.get() + right.get());
///
/// For children that are waited for at once, fork_join() and task_group cost less. The task belongs to no group or
/// loop: cancelling the caller does not cancel the task. What the task throws, get() throws. The copy of f is destroyed
/// before the future becomes ready. For the end of runtimes and of the process the rules of submit() hold.
/// `where`: the name of the task in recordings.
/// Complexity: O(1); allocates once. Thread-safety: any thread.
/// Throws: nearfork::error as runtime::run() does; std::bad_alloc; what copying or moving f throws. No task was started
/// then.
template <class F>
  requires detail::task_callable<std::decay_t<F>>
[[nodiscard]] auto async(F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()})
    -> future<detail::result_of<std::decay_t<F>>> {
  return detail::future_of::task(nullptr, std::forward<F>(f), where);
}

/// The same in a given runtime, from any thread. A task of another runtime may wait for the future: it is suspended
/// meanwhile.
///
///     nearfork::runtime own;
///     std::printf("%u\n", nearfork::async(own, [] { return nearfork::this_runtime::workers(); }).get());
template <class F>
  requires detail::task_callable<std::decay_t<F>>
[[nodiscard]] auto async(runtime& home, F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()})
    -> future<detail::result_of<std::decay_t<F>>> {
  return detail::future_of::task(&home, std::forward<F>(f), where);
}

}  // namespace nearfork

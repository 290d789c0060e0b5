#pragma once

#include <nearfork/detail/language.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/tasks/submitted_job.hpp>
#include <nearfork/runtime.hpp>

namespace nearfork {

namespace detail {

template <class F>
class submitted_task final : public submitted_job {
 public:
  template <class From>
  submitted_task(From&& f, const call_site& where)
      : submitted_job(kind_of<&execute>, where), f_(std::forward<From>(f)) {}

 private:
  static void execute(job& self) noexcept {
    auto& me = static_cast<submitted_task&>(self);
    me.execute_unwaited({&call_and_destroy, &me});
  }
  static void call_and_destroy(void* data) {
    const std::unique_ptr<submitted_task> me(static_cast<submitted_task*>(data));
    (void)call(me->f_);
  }

  F f_;
};

template <class F>
void submit_to(runtime* home, F&& f, const call_site& where) {
  auto made = std::make_unique<submitted_task<std::decay_t<F>>>(std::forward<F>(f), where);
  made->enter(home, submitted_job::among::submitted);
  (void)made.release();  // the workers own it; it may be gone
}

}  // namespace detail

/// Starts a task that nobody waits for: a copy of f, or f itself moved. It runs once, later, on any worker of the
/// current runtime (this_runtime::get()). What it returns is dropped.
///
///     nearfork::submit([order = std::string("tea")] { std::puts(order.c_str()); });
///
/// The task belongs to no group or loop: cancelling the caller does not cancel the task. Tasks that are submitted begin
/// about in the order of the submissions, when a worker has nothing else to do.
///
/// If the task throws, the program ends with a message (std::terminate): use async() for tasks that may throw.
/// The destructor of a runtime waits for all submitted tasks, also for those that they submit in turn. exit() does not
/// wait: tasks of process_runtime() and of static runtimes that are not done end with the process. To be sure, make a
/// runtime of your own, or wait for a future.
/// `where`: the name of the task in recordings.
/// Complexity: O(1); allocates once. Thread-safety: any thread.
/// Throws: nearfork::error as runtime::run() does; std::bad_alloc; what copying or moving f throws. Nothing was
/// submitted then.
template <class F>
  requires detail::task_callable<std::decay_t<F>>
void submit(F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  detail::submit_to(nullptr, std::forward<F>(f), where);
}

/// The same in a given runtime, from any thread. A task of the runtime may submit even while the runtime is being
/// destroyed; other threads may not.
///
///     nearfork::runtime own;
///     nearfork::submit(own, [] { std::puts("done before own is destroyed"); });
template <class F>
  requires detail::task_callable<std::decay_t<F>>
void submit(runtime& home, F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  detail::submit_to(&home, std::forward<F>(f), where);
}

}  // namespace nearfork

#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/call_site.hpp>
#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/dataflow/task_options.hpp>
#include <nearfork/detail/dataflow/added_task.hpp>

namespace nearfork {

/// Creates tasks inside a dataflow task, its *parent*, whose callable takes it as `nearfork::nested_tasks&`. Nested
/// tasks are ordered by their data among each other, and with the tasks around the parent: they come after those that
/// were created before the parent, and before those that were created after it.
///
///     std::vector<double> a(1000);
///     const auto half = [&](std::size_t at) { return std::span(a).subspan(at * 500, 500); };
///     nearfork::dataflow graph;
///     graph.task({nearfork::out(half(0))}, [](std::span<double> to) { std::fill(to.begin(), to.end(), 1.0); });
///     graph.task({nearfork::weak_inout(a)}, [&](nearfork::nested_tasks& inner) {
///       inner.task({nearfork::out(half(1))}, [](std::span<double> to) { to[0] = 2.0; });  // waits for nothing
///       inner.task({nearfork::inout(half(0))}, [](std::span<double> to) { to[0] += 2.0; });
///     });
///     graph.task({nearfork::in(a)}, [&] { std::printf("%g\n", a[0] + a[500]); });  // 5
///     graph.sync();
///
/// The parent names all data that its nested tasks access. It does not wait for those that it names by weak_in(),
/// weak_out() or weak_inout(), but must not touch them itself: its nested tasks wait for them, each for its own part.
/// A task that comes later waits for an access of the parent until the parent has returned, and the nested tasks that
/// touch the data of this access have ended. So several small weak accesses let more run in parallel than a large one.
/// Nested tasks can have nested tasks.
/// Thread-safety: any thread, until the callable of the parent returns.
class nested_tasks {
 public:
  /// Not for users.
  nested_tasks(detail::dataflow_engine& engine, detail::dataflow_task& parent) noexcept
      : engine_(engine), parent_(parent) {}
  nested_tasks(const nested_tasks&) = delete;
  nested_tasks& operator=(const nested_tasks&) = delete;

  /// Adds a nested task; otherwise as dataflow::task(). Throws also: nearfork::error, with the task's place in the
  /// program, if the parent names not all of its data, or names them as read only and the task writes them; and if the
  /// task names a stream.
  template <std::size_t N, class F>
  void task(const access (&accesses)[N], F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    detail::add_task({engine_, &parent_, {}, where}, std::span<const access>(accesses), std::forward<F>(f));
  }
  /// The same for any number of accesses.
  template <class F>
  void task(std::span<const access> accesses, F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    detail::add_task({engine_, &parent_, {}, where}, accesses, std::forward<F>(f));
  }
  /// The same for a task with a priority.
  template <std::size_t N, class F>
  void task(const access (&accesses)[N], F&& f, task_options how,
            call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    detail::add_task({engine_, &parent_, how, where}, std::span<const access>(accesses), std::forward<F>(f));
  }
  /// The same for any number of accesses, with a priority.
  template <class F>
  void task(std::span<const access> accesses, F&& f, task_options how,
            call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    detail::add_task({engine_, &parent_, how, where}, accesses, std::forward<F>(f));
  }

 private:
  detail::dataflow_engine& engine_;
  detail::dataflow_task& parent_;
};

namespace detail {

template <class F>
class parent_dataflow_task final : public task_with_callable<F> {
 public:
  template <class From>
  parent_dataflow_task(From&& f, dataflow_engine& engine, const call_site& at)
      : task_with_callable<F>(kind_of_task, std::forward<From>(f), at), engine_(engine) {}

 private:
  static void call_task(dataflow_task& self) {
    auto& me = static_cast<parent_dataflow_task&>(self);
    nested_tasks inner(me.engine_, self);
    me.f_(inner);
  }
  static nested_scope*& scope_of(dataflow_task& self) noexcept {
    return static_cast<parent_dataflow_task&>(self).scope_;
  }
  NEARFORK_OWN_COPY static const dataflow_kind kind_of_task;

  dataflow_engine& engine_;
  nested_scope* scope_ = nullptr;  // while the task is not done
};
template <class F>
const dataflow_kind parent_dataflow_task<F>::kind_of_task{.call = &call_task,
                                                          .drop = parent_dataflow_task::drop,
                                                          .arguments = nullptr,
                                                          .nested = &scope_of,
                                                          .bytes = sizeof(parent_dataflow_task)};

}  // namespace detail

}  // namespace nearfork

#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <nearfork/call_site.hpp>
#include <nearfork/cancellation.hpp>
#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/dataflow/buffer.hpp>
#include <nearfork/dataflow/nested_tasks.hpp>
#include <nearfork/dataflow/stream.hpp>
#include <nearfork/dataflow/task_data.hpp>
#include <nearfork/dataflow/task_options.hpp>
#include <nearfork/detail/dataflow/added_task.hpp>

namespace nearfork {

class runtime;

namespace detail {

class dataflow_engine;
class flow_wait;
struct end_dataflow_engine {
  void operator()(dataflow_engine* ended) const noexcept;
};

}  // namespace detail

/// Tasks that say which data they read and write. Each task runs once its data are ready; tasks that touch different
/// data run in parallel.
///
///     std::vector<double> a(1000), b(1000);
///     nearfork::dataflow graph;
///     graph.task({nearfork::out(a)}, [&] { std::fill(a.begin(), a.end(), 1.0); });
///     graph.task({nearfork::in(a), nearfork::out(b)},
///                [](std::span<const double> from, std::span<double> to) {
///                  std::copy(from.begin(), from.end(), to.begin());
///                });
///     graph.sync();
///
/// The result is that of calling the tasks one after the other in the order in which they were created. Tasks may
/// create tasks of the same graph, too: these come after all that were created before.
///
/// A graph belongs to the runtime in which it was made, or to the one that its constructor names; a graph made outside
/// workers belongs to process_runtime().
/// If a task throws, the tasks that depend on it are skipped, and so are those that depend on these; the others run.
/// (In large graphs some accesses depend on more than they must: docs/TASKS.md, "Dataflow tasks that fail".)
/// Thread-safety: task(), buffer(), stream(), cancel() and cancelled() from the frame that made the graph, from its
/// tasks, and from other threads while that frame keeps the graph alive; the other functions from that frame alone.
class dataflow {
 public:
  /// A graph without tasks. `token` cancels the graph, too. Throws: std::bad_alloc; outside workers as
  /// process_runtime().
  explicit dataflow(cancellation_token token = {});
  /// A graph whose tasks run in `home`, wherever it is made. `home` must outlive the graph.
  explicit dataflow(runtime& home, cancellation_token token = {});
  /// Waits as wait() does, and drops the exceptions that nobody asked for. If an exception that was thrown after the
  /// graph was made destroys the graph, the tasks that are not done are cancelled first.
  ~dataflow() = default;
  dataflow(const dataflow&) = delete;
  dataflow& operator=(const dataflow&) = delete;

  /// Adds a task that accesses these data: a copy of f, or f itself moved. f takes a std::span for each access in their
  /// order, of const elements for in(), of the same element type; or a task_data, for any number of accesses; or a
  /// nested_tasks&, which tasks with weak accesses must take; or no arguments, if no access is to a buffer or a stream
  /// or is a reduction. If the graph is cancelled before the task runs, or a task fails that it depends on, f is not
  /// called.
  /// Once 2048 tasks are ready, or 8192 are not over, the frame that made the graph runs some here, as long as enough
  /// are ready for the other workers. So hold no lock there; and the frame may go on in another thread, as after a
  /// wait. Not if tasks of this process wait in suspend() or for MPI. A thread outside workers waits for the workers
  /// then: some tenths of a millisecond, and up to five milliseconds where they are quick.
  /// Complexity: O(1) for each access whose bytes are exactly those of an access before; O(log n + k) for one that
  /// overlaps k others of n; O(log n) for a read of a long range, if there are many such reads.
  /// Throws: std::bad_alloc; what copying or moving f throws; nearfork::error, with the task's place in the program, if
  /// the spans do not suit the accesses, if a buffer has two tasks that write it or belongs to another graph, and after
  /// sync(). No task was added then; but without memory for a task that names buffers or streams or has nested tasks,
  /// those that depend on it are skipped, and wait() throws std::bad_alloc, too.
  template <std::size_t N, class F>
  void task(const access (&accesses)[N], F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    add(std::span<const access>(accesses), std::forward<F>(f), {}, where);
  }
  /// The same for any number of accesses.
  template <class F>
  void task(std::span<const access> accesses, F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    add(accesses, std::forward<F>(f), {}, where);
  }
  /// The same for a task with a priority. Throws also: nearfork::error if it is above highest_priority.
  template <std::size_t N, class F>
  void task(const access (&accesses)[N], F&& f, task_options how,
            call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    add(std::span<const access>(accesses), std::forward<F>(f), how, where);
  }
  /// See above.
  template <class F>
  void task(std::span<const access> accesses, F&& f, task_options how,
            call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    add(accesses, std::forward<F>(f), how, where);
  }

  /// A buffer for `count` elements, which one task will write. Throws: std::bad_alloc.
  template <class T>
  [[nodiscard]] nearfork::buffer<T> buffer(std::size_t count, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    return nearfork::buffer<T>(make_buffer(count, sizeof(T), alignof(T), where));
  }

  /// A stream without elements. Throws: std::bad_alloc.
  template <class T>
  [[nodiscard]] nearfork::stream<T> stream(call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    return nearfork::stream<T>(make_stream(sizeof(T), alignof(T), where));
  }

  /// Waits until all tasks are done, also those created meanwhile. May run tasks of this graph in the calling frame,
  /// and nothing else. Afterwards the graph can be used again, and what happened so far has no effect on new tasks.
  /// Throws: the first exception of a task; nearfork::error if tasks can never run, because no task writes a buffer
  /// or elements of a stream that they read, or because they wait for each other: these tasks are dropped;
  /// nearfork::cancelled if the task around the graph is cancelled; nearfork::error if a task of this graph calls it.
  void wait();
  /// Waits as wait() does. Afterwards the graph takes no more tasks.
  void sync();

  /// Keeps the tasks that are created until the next wait() or sync(), so that replay() can run them again. They use
  /// memory until the graph ends or keep() is called again: their closures, their accesses, and the buffers that they
  /// name. Tasks of a graph that is kept create no tasks of the same graph and name no streams. A callable of such a
  /// task is called several times; so task() throws for one that can only be called as an rvalue. Complexity: O(n) for
  /// n tasks that were kept before. Throws: std::bad_alloc; nearfork::error if tasks were created since the last
  /// wait(), after sync(), and in a task of this graph.
  void keep(call_site where = {__builtin_FILE(), __builtin_LINE()});
  /// Runs the tasks that were kept once more, and waits for them as wait() does. Their closures, accesses and
  /// dependences are those of the first time; so the program's data must be where they were. Tasks that write a buffer
  /// write the same memory again. A task that failed, or was skipped or cancelled, the last time runs again. After
  /// wait() tasks can be created beside those that are kept; they run once, and must be waited for before replay().
  ///
  ///     double sum = 0;
  ///     nearfork::dataflow graph;
  ///     graph.keep();
  ///     for (int i = 0; i < 10; ++i) graph.task({nearfork::inout(sum)}, [&sum, i] { sum += i; });
  ///     graph.wait();                                  // 45
  ///     for (int n = 1; n < 100; ++n) graph.replay();  // 4500
  ///
  /// Complexity: O(1) for each task and dependence: no memory is taken, but by the first replay. Throws as wait(); and
  /// nearfork::error if no tasks are kept, or if tasks of the graph are not waited for. A task() that is called
  /// meanwhile throws.
  void replay(call_site where = {__builtin_FILE(), __builtin_LINE()});

  /// Cancels the tasks: those that have not started are skipped, those that run are told to stop. wait() makes the
  /// graph usable again.
  void cancel() noexcept;
  /// True from cancel() until wait(), and from the time when the graph's token is cancelled.
  [[nodiscard]] bool cancelled() const noexcept;

 private:
  friend class detail::flow_wait;
  template <class F>
  void add(std::span<const access> accesses, F&& f, task_options how, const call_site& where) {
    detail::add_task({*engine_, nullptr, how, where}, accesses, std::forward<F>(f));
  }
  [[nodiscard]] detail::buffer_state& make_buffer(std::size_t count, std::size_t size, std::size_t alignment,
                                                  const call_site& where);
  [[nodiscard]] detail::stream_state& make_stream(std::size_t size, std::size_t alignment, const call_site& where);

  std::unique_ptr<detail::dataflow_engine, detail::end_dataflow_engine> engine_;
};

}  // namespace nearfork

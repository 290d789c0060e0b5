#pragma once

#include <nearfork/detail/language.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <nearfork/call_site.hpp>
#include <nearfork/config.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/run_report.hpp>

namespace nearfork {

class crew;
class scheduler;

/// A set of worker threads, and the policy that places their tasks. By default there is one worker for each core that
/// the process may use.
///
///     nearfork::config settings;
///     settings.workers = 4;
///     nearfork::runtime four(settings);
///     four.run([] { nearfork::parallel_for(0, 1000, [](int) {}); });
///     std::puts(nearfork::to_text(four.report()).c_str());
///
/// Most programs need no runtime of their own: nearfork::run() and the parallel functions use process_runtime().
/// Several runtimes may exist at once. A program may make and destroy runtimes any number of times.
/// Thread-safety: any thread may call run(), workers() and report() at any time. See each function for the others.
class runtime {
 public:
  /// Starts the workers.
  /// Throws: nearfork::error if the policy is unknown, the machine cannot be read, a thread cannot be started, or the
  /// file of config::report or config::record cannot be written; in strict mode also for anything that would be a
  /// degradation on the run report.
  explicit runtime(const config& settings = config::from_environment());
  /// Not for users: the library's own rooms and tests bring a scheduler with a machine or a policy of their own.
  runtime(const config& settings, std::unique_ptr<scheduler> made);
  /// Waits until every run() in progress has returned on all threads. A run() that begins meanwhile throws
  /// nearfork::error. Then stops the workers, and writes the run report to config::report and the recording to
  /// config::record. If a file cannot be written, a message on stderr says so. If several runtimes of a process report
  /// to one file, it has all their reports.
  ///
  /// A task of this runtime must not destroy it: the program would end with a message (std::terminate).
  ///
  /// The destructor of a static object runs inside exit(), and then waits for no run(): busy workers go on until the
  /// process ends. exit() also writes the reports and recordings of runtimes that are never destroyed. quick_exit(),
  /// _exit() and abort() do not.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Calls f inside this runtime and waits for it. The calling thread stands in for a worker that sleeps: it begins f,
  /// and while f waits, it runs other tasks of f. It never runs tasks of other calls, which may need locks that the
  /// caller holds: as soon as another call is in progress it sleeps instead. If no worker sleeps, a worker runs f when
  /// one is free. On a worker of this runtime, simply calls f. On a worker of another runtime, the calling task is
  /// suspended, and its worker goes on with other work.
  /// Complexity: about 0.15 us where a worker sleeps; then no thread need wake.
  /// `where`: the name of this call in recordings, if f is more than a loop around regions.
  /// Returns: what f returns, moved if f runs on another stack.
  /// Throws: what f throws; nearfork::error while the runtime is being destroyed, and in a child process made by
  /// fork(), because that process has no workers.
  /// Thread-safety: any number of threads at once.
  template <detail::task_callable F>
  auto run(F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()})
      -> detail::result_of<std::remove_reference_t<F>>;

  /// The number of workers.
  [[nodiscard]] unsigned workers() const noexcept;
  /// What happened so far. Thread-safety: any thread, at any time.
  /// Throws: nearfork::error in a child process made by fork(); std::bad_alloc.
  [[nodiscard]] run_report report() const;
  /// Writes what was recorded so far to this file, as the destructor does to config::record. No run() may be in
  /// progress.
  /// Throws: nearfork::error if config::record is empty, in a child process made by fork(), or if the file cannot be
  /// written. An old file is then unchanged.
  void write_recording(const std::string& path) const;

  /// Not for users: for the library's own rooms and tests.
  [[nodiscard]] scheduler& implementation() noexcept { return *scheduler_; }
  /// Not for users: for the library's own rooms.
  [[nodiscard]] crew& implementation_crew() noexcept;
  /// Not for users: run() without templates, for callers outside this runtime.
  void call_on_worker(detail::raw_task call, const call_site& where);

 private:
  [[nodiscard]] static std::unique_ptr<scheduler> start(const config& settings);
  [[nodiscard]] bool runs_here() const noexcept;
  void require_this_process() const;
  void end() noexcept;
  void end_with_process() noexcept;

  config settings_;
  std::unique_ptr<scheduler> scheduler_;
};

/// The runtime that run() and the parallel functions use outside other runtimes. It starts at the first call.
/// At exit it writes its report and recording, and stops its workers if no task uses them. Destructors of static
/// objects and atexit() handlers may use it at any time: if it has been stopped, this function starts another one, with
/// a report of its own. So it does in a child made by fork(), unless the child was made inside a task; groups, graphs
/// and futures of the parent stay the parent's.
/// Throws: nearfork::error if the environment's configuration is wrong, and as the constructor of runtime.
/// Thread-safety: any thread.
[[nodiscard]] runtime& process_runtime();

/// About the worker that runs the caller.
namespace this_worker {
/// True on the thread of a worker, of any runtime. The other functions may be called only there.
[[nodiscard]] bool inside() noexcept;
/// The worker's number, 0 to runtime::workers() - 1. May change at every fork, join and wait. Further workers, which
/// run calls while all others are blocked in the system or have other calls' work (docs/TASKS.md), have the same
/// numbers; per_worker tells them apart.
[[nodiscard]] unsigned index() noexcept;
/// The dense number of the worker's cache domain. May change as index() does.
[[nodiscard]] unsigned domain() noexcept;
}  // namespace this_worker

template <detail::task_callable F>
auto runtime::run(F&& f, call_site where) -> detail::result_of<std::remove_reference_t<F>> {
  using result = detail::result_of<std::remove_reference_t<F>>;
  detail::require_movable_results<result>();
  if (runs_here()) return detail::call(f);
  detail::kept_call<std::remove_reference_t<F>> kept(f);
  call_on_worker(kept.task(), where);
  if constexpr (std::is_void_v<result>) {
    (void)kept.take();
  } else if constexpr (std::is_reference_v<result>) {
    return static_cast<result>(*kept.take());
  } else {
    return kept.take();
  }
}

}  // namespace nearfork

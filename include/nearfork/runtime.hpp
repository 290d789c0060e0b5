#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <nearfork/config.hpp>
#include <nearfork/detail/recording.hpp>
#include <nearfork/detail/root_job.hpp>
#include <nearfork/run_report.hpp>

namespace nearfork {

class crew;
class scheduler;

/// Worker threads, one per core that the process may use unless told otherwise, and the policy that places
/// their tasks. Several may exist at once; each may be started and stopped any number of times by making and
/// destroying it.
class runtime {
 public:
  /// Starts the workers. Throws nearfork::error: unknown policy, unreadable machine, no thread to be had, config::report or
  /// config::record names what cannot be written, or, in strict mode, anything that would be a degradation on the run report.
  explicit runtime(const config& settings = config::from_environment());
  /// For the library's own rooms and tests: over a scheduler with a machine or a policy of their own.
  runtime(const config& settings, std::unique_ptr<scheduler> made);
  /// Waits until every run() in progress has returned, on whatever thread; one that begins meanwhile throws nearfork::error.
  /// Then stops the workers, and writes the run report where config::report says and the recording where config::record does; what
  /// cannot be written is told on stderr. Reports of one process to one file are all in it.
  /// A task of this runtime must not destroy it: the program ends with a message (std::terminate).
  /// While exit() goes on, for a static object, it waits for nobody: workers that have something to do go on until the process is
  /// gone. exit() also writes reports and recordings of runtimes that nobody destroys; quick_exit(), _exit() and abort() do not.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Calls f on a worker and returns what it returns; the calling thread sleeps meanwhile. Any number of
  /// threads may call it at once. On a worker of this runtime: simply calls f. On a worker of another runtime: the calling
  /// task is suspended, and its worker goes on with other work.
  /// Throws: what f throws; nearfork::error in a child process made by fork(), where the workers are missing, and while the runtime
  /// is being destroyed.
  /// `where`: what a recording calls it, where f is more than a loop around regions.
  template <detail::task_callable F>
  auto run(F&& f, std::source_location where = std::source_location::current())
      -> detail::result_of<std::remove_reference_t<F>>;

  [[nodiscard]] unsigned workers() const noexcept;
  /// What happened so far; any thread, any time. Throws nearfork::error in a child process made by fork().
  [[nodiscard]] run_report report() const;
  /// Writes what was recorded so far, as the destructor does where config::record says. No run() may be in progress.
  /// Throws: nearfork::error if config::record is empty, or where the file cannot be written; there is the old file then.
  void write_recording(const std::string& path) const;

  /// For the library's own rooms and tests.
  [[nodiscard]] scheduler& implementation() noexcept { return *scheduler_; }
  [[nodiscard]] crew& implementation_crew() noexcept;

 private:
  [[nodiscard]] static std::unique_ptr<scheduler> start(const config& settings);
  [[nodiscard]] bool runs_here() const noexcept;
  void require_this_process() const;
  void inject_and_wait(detail::root_job_base& root);
  void end() noexcept;
  void end_with_process() noexcept;

  config settings_;
  std::unique_ptr<scheduler> scheduler_;
};

/// The runtime that run() and the parallel functions use outside any other. At exit it writes its report and recording, and stops
/// its workers if nothing uses them. Destructors of static objects and atexit() handlers may use it all along: where it has been
/// stopped, another one is started, with a report of its own.
/// Throws nearfork::error where the environment's configuration is wrong.
[[nodiscard]] runtime& process_runtime();

/// About the worker that runs the caller.
namespace this_worker {
/// True on a worker's thread.
[[nodiscard]] bool inside() noexcept;
/// 0 .. workers - 1; only inside. May change at every fork, join and wait.
[[nodiscard]] unsigned index() noexcept;
/// Dense number of its cache domain; only inside.
[[nodiscard]] unsigned domain() noexcept;
}  // namespace this_worker

template <detail::task_callable F>
auto runtime::run(F&& f, std::source_location where) -> detail::result_of<std::remove_reference_t<F>> {
  using result = detail::result_of<std::remove_reference_t<F>>;
  if (runs_here()) return detail::call(f);
  auto recorded = [&]() -> result {
    const detail::recorded_run root(where);
    return detail::call(f);
  };
  detail::root_job<decltype(recorded)> root(recorded);
  inject_and_wait(root);
  if constexpr (std::is_void_v<result>) {
    root.take();
  } else if constexpr (std::is_reference_v<result>) {
    return static_cast<result>(*root.take());
  } else {
    return root.take();
  }
}

}  // namespace nearfork

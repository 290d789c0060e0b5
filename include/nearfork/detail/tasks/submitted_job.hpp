// A job that its submitter does not wait for. It lies on the heap, and keeps its runtime until it is done.
#pragma once

#include <cstdint>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/job.hpp>
#include <nearfork/detail/raw_task.hpp>

namespace nearfork {

class crew;
class runtime;

namespace detail {

class submitted_job : public job {
 public:
  /// Which tasks the job is one of. Submitted tasks begin in the order of their submissions, when a worker has nothing
  /// else to do. Awaited ones begin soon, and the newest first.
  enum class among : std::uint8_t { submitted, awaited };
  /// Hands the job to the workers of `home`, or of the current runtime if `home` is nullptr. On success the workers own
  /// the job. Throws nearfork::error as runtime::run() does; std::bad_alloc.
  void enter(runtime* home, among tasks);

 protected:
  submitted_job(const job_kind& kind, const call_site& where) noexcept : job(kind), where_(where) {}
  ~submitted_job() = default;

  /// The whole run of a task of submit(): calls `call`, which then destroys the job. An exception ends the program.
  void execute_unwaited(raw_task call) noexcept;

  /// Calls the task, recorded as a root.
  void call_as_root(raw_task call) const;
  /// The crew that enter() chose. Ask it before the job is destroyed.
  [[nodiscard]] crew& entered() const noexcept { return *home_; }
  /// False in a child made by fork(), where nobody runs the job.
  [[nodiscard]] bool entered_in_this_process() const noexcept;
  /// The last act of a job, after which its runtime may be gone.
  static void leave(crew& entered) noexcept;

 private:
  crew* home_ = nullptr;
  call_site where_;
  int process_ = 0;
};

}  // namespace detail
}  // namespace nearfork

#include <nearfork/runtime.hpp>

#include <nearfork/detail/scheduler.hpp>
#include <nearfork/error.hpp>

#include "base/fork_order.hpp"
#include "base/output/output_file.hpp"
#include "runtime/fibers/exit_watch.hpp"
#include "runtime/forks/root_job.hpp"
#include "runtime/lifetime/process_end.hpp"
#include "runtime/lifetime/runtime_outputs.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime/lifetime/stay_loaded.hpp"

namespace nearfork {

constinit thread_local std::uint8_t detail::inside_worker = detail::outside;
constinit thread_local std::uintptr_t detail::large_span_mask = 0;

std::uint8_t detail::thread_mark_by_call() noexcept {
  return inside_worker;
}
std::uintptr_t detail::span_mask_by_call() noexcept {
  return large_span_mask;
}

runtime::runtime(const config& settings) : runtime(settings, start(settings)) {}

runtime::runtime(const config& settings, std::unique_ptr<scheduler> made)
    : settings_(with_checked_outputs(settings)), scheduler_(std::move(made)) {
  scheduler_->workers().belong_to(*this);
  remember_for_exit(*scheduler_, settings_);
}

/// fork() in another thread waits: its child could not tell which parts of the runtime are complete.
std::unique_ptr<scheduler> runtime::start(const config& settings) {
  const no_fork_meanwhile until_started;
  stay_loaded();
  return make_scheduler(with_checked_outputs(settings));
}

runtime::~runtime() {
  // A fork()'s child has the memory but not the threads: there are no threads to stop, and nothing may be freed that a
  // thread of the parent held during fork().
  if (!scheduler_->workers().is_of_this_process()) leave_to_the_system(*scheduler_.release());
  else if (process_is_ending()) end_with_process();
  else end();
}

void runtime::end() noexcept {
  if (runs_here()) {
    std::fputs(
        "nearfork: a runtime is destroyed by a task of its own, which it would have to wait for; destroy it outside "
        "its run()\n",
        stderr);
    std::terminate();
  }
  scheduler_->close();
  leave_outputs_once(*scheduler_, settings_);
}

/// For a runtime that is a static object: exit() may have been called from one of its tasks, or threads may be in run()
/// for ever.
void runtime::end_with_process() noexcept {
  leave_outputs_once(*scheduler_, settings_);
  if (!scheduler_->try_end()) leave_to_the_system(*scheduler_.release());
}

void runtime::write_recording(const std::string& path) const {
  require_this_process();
  const graph_recorder* const recorder = scheduler_->recorder();
  if (recorder == nullptr || settings_.record.empty())
    throw error("nearfork: this runtime records nothing; set NEARFORK_RECORD or config::record before it starts");
  output_file(path).write(recorder->file(report().machine));
}

unsigned runtime::workers() const noexcept {
  return scheduler_->workers().worker_count();
}

run_report runtime::report() const {
  require_this_process();
  return scheduler_->report();
}

/// In a child, a lock that a thread of the parent held would be held for ever.
void runtime::require_this_process() const {
  if (!scheduler_->workers().is_of_this_process())
    throw error("nearfork: this runtime was started before fork(); ask it in the parent process");
}

crew& runtime::implementation_crew() noexcept {
  return scheduler_->workers();
}

bool runtime::runs_here() const noexcept {
  return detail::thread_mark() && detail::this_fiber().runner->home.of() == this;
}

void runtime::call_on_worker(detail::raw_task call, const call_site& where) {
  detail::call_from_outside(scheduler_->workers(), call, where, {});
}

namespace this_worker {

bool inside() noexcept {
  return detail::thread_mark() != detail::outside;
}
unsigned index() noexcept {
  return detail::this_fiber().runner->index;
}
unsigned domain() noexcept {
  return detail::this_fiber().runner->domain;
}

}  // namespace this_worker

}  // namespace nearfork

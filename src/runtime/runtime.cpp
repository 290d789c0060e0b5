#include <nearfork/runtime.hpp>

#include <nearfork/detail/scheduler.hpp>
#include <nearfork/error.hpp>

#include "base/output_file.hpp"
#include "base/sanitizer_calls.hpp"
#include "runtime/process.hpp"
#include "runtime/runtime_outputs.hpp"
#include "runtime/scheduler.hpp"

namespace nearfork {

constinit thread_local std::uint8_t detail::inside_worker = detail::outside;
constinit thread_local std::uintptr_t detail::large_span_mask = 0;

runtime::runtime(const config& settings)
    : settings_(with_checked_outputs(settings)), scheduler_(make_scheduler(settings_)), process_(process_number()) {}

runtime::runtime(const config& settings, std::unique_ptr<scheduler> made)
    : settings_(with_checked_outputs(settings)), scheduler_(std::move(made)), process_(process_number()) {}

runtime::~runtime() {
  if (process_number() != process_) {
    // A fork()'s child has the memory but not the threads: there is nobody to stop, and nothing may be freed
    // that a thread of the parent held when it was copied.
    (void)scheduler_.release();
    return;
  }
  write_outputs(*scheduler_, settings_);
}

void runtime::write_recording(const std::string& path) const {
  const graph_recorder* const recorder = scheduler_->recorder();
  if (recorder == nullptr)
    throw error("nearfork: this runtime records nothing; set NEARFORK_RECORD or config::record before it starts");
  output_file(path).write(recorder->file(report().machine));
}

unsigned runtime::workers() const noexcept {
  return scheduler_->worker_count();
}

run_report runtime::report() const {
  return scheduler_->report();
}

bool runtime::runs_here() const noexcept {
  return detail::inside_worker && &detail::this_fiber().runner->home == scheduler_.get();
}

void runtime::inject_and_wait(detail::root_job_base& root) {
  if (process_number() != process_)
    throw error(
        "nearfork: this runtime was started before fork(), and its workers exist only in the parent process; make a "
        "new "
        "nearfork::runtime in the child, or fork before the first use");
  if (!detail::inside_worker) {
    scheduler_->inject(root);
    root.sleep_until_done();
    return;
  }
  fiber& caller = detail::this_fiber();
  root.resumes_fiber(caller.scope);
  scheduler_->inject(root);
  detail::wait_for(caller, root);
}

runtime& process_runtime() {
  static runtime shared{config::from_environment()};
  static const sanitizers::handed_over made(&shared);
  sanitizers::take_over(&shared);
  return shared;
}

namespace this_worker {

bool inside() noexcept {
  return detail::inside_worker != detail::outside;
}
unsigned index() noexcept {
  return detail::this_fiber().runner->index;
}
unsigned domain() noexcept {
  return detail::this_fiber().runner->domain;
}

}  // namespace this_worker

}  // namespace nearfork

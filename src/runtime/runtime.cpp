#include <nearfork/runtime.hpp>

#include <cstdio>
#include <exception>

#include <nearfork/error.hpp>

#include "runtime/process.hpp"
#include "runtime/scheduler.hpp"
#include "trace/whole_file.hpp"

namespace nearfork {

constinit thread_local std::uint8_t detail::inside_worker = detail::outside;
constinit thread_local std::uintptr_t detail::large_span_mask = 0;

runtime::runtime(const config& settings)
    : settings_(settings), scheduler_(make_scheduler(settings)), process_(process_number()) {}

runtime::runtime(const config& settings, std::unique_ptr<scheduler> made)
    : settings_(settings), scheduler_(std::move(made)), process_(process_number()) {}

runtime::~runtime() {
  if (process_number() != process_) {
    // A fork()'s child has the memory but not the threads: there is nobody to stop, and nothing may be freed
    // that a thread of the parent held when it was copied.
    (void)scheduler_.release();
    return;
  }
  if (!settings_.report.empty()) write_report(report(), settings_.report);
  if (settings_.record.empty()) return;
  try {
    write_recording(path_of_this_recording(settings_.record));
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
  }
}

void runtime::write_recording(const std::string& path) const {
  const graph_recorder* const recorder = scheduler_->recorder();
  if (recorder == nullptr)
    throw error("nearfork: this runtime records nothing; set NEARFORK_RECORD or config::record before it starts");
  trace::replace_file(path, recorder->file(report().machine));
}

unsigned runtime::workers() const noexcept { return scheduler_->worker_count(); }

run_report runtime::report() const { return scheduler_->report(); }

bool runtime::runs_here() const noexcept {
  return detail::inside_worker && &detail::this_fiber().runner->home == scheduler_.get();
}

void runtime::inject_and_wait(detail::root_job_base& root) {
  if (process_number() != process_)
    throw error(
        "nearfork: this runtime was started before fork(), and its workers exist only in the parent process; make a new "
        "nearfork::runtime in the child, or fork before the first use");
  scheduler_->inject(root);
  root.sleep_until_done();
}

runtime& process_runtime() {
  static runtime shared{config::from_environment()};
  return shared;
}

namespace this_worker {

bool inside() noexcept { return detail::inside_worker != detail::outside; }
unsigned index() noexcept { return detail::this_fiber().runner->index; }
unsigned domain() noexcept { return detail::this_fiber().runner->domain; }

}  // namespace this_worker

}  // namespace nearfork

#include <nearfork/detail/tasks/submitted_job.hpp>

#include <cstdio>
#include <exception>

#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/runtime.hpp>

#include "base/process_number.hpp"
#include "runtime/fibers/exit_watch.hpp"
#include "runtime/regions/recorded_run.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {
namespace {

crew& home_of_job(runtime* home) {
  if (home != nullptr) return home->implementation_crew();
  return thread_mark() ? this_fiber().runner->home : process_runtime().implementation_crew();
}

/// Returns only if exit() has begun: static objects that held resumers or data of the task may be gone, and the exit
/// status is the program's.
void end_program() noexcept {
  if (process_is_ending()) return;
  std::fputs(
      "nearfork: a task of submit() threw an exception, which nobody can receive; catch it in the task, or use "
      "async() and ask its future\n",
      stderr);
  std::terminate();
}

}  // namespace

void submitted_job::enter(runtime* home, among tasks) {
  home_ = &home_of_job(home);
  process_ = process_number();
  home_->enter();
  try {
    if (!home_->runs_caller()) home_->push_inside({.start = this, .may_be_relieved = true}, 0);
    else if (tasks == among::submitted) home_->push_inside({.start = this}, this_fiber().runner->index);
    else home_->push_in_domain_of(*this_fiber().runner, {.start = this});
  } catch (...) {
    leave(*home_);
    throw;
  }
}

bool submitted_job::entered_in_this_process() const noexcept {
  return process_ == process_number();
}

void submitted_job::leave(crew& entered) noexcept {
  entered.entrance().leave();
}

void submitted_job::call_as_root(raw_task call) const {
  const recorded_run here(where_);
  call();
}

void submitted_job::execute_unwaited(raw_task call) noexcept {
  crew& home = entered();
  try {
    call_as_root(call);
  } catch (...) {
    end_program();
  }
  leave(home);
}

}  // namespace nearfork::detail

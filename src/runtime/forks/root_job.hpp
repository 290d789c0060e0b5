// A call from outside the runtime. A calling thread sleeps on a futex until a worker has run the call; a calling fiber
// of another runtime is suspended.
#pragma once

#include <cstdint>
#include <exception>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/detail/tasks/done_signal.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/workers/deputy.hpp"

namespace nearfork {
class crew;
}

namespace nearfork::detail {

struct worker;

class root_job final : public job {
 public:
  root_job(raw_task call, const call_site& where) noexcept : job(kind_of<&execute>), call_(call), where_(where) {}

  /// A calling fiber of another runtime calls this before it injects the job. `caller_scope` is its scope. wait_for()
  /// then suspends the fiber.
  void resumes_fiber(const cancel_scope* caller_scope) noexcept {
    resumes_fiber_ = true;
    caller_scope_ = caller_scope;
  }
  /// A calling thread begins the call itself, if it can: runtime/workers/deputy.hpp. It then waits for it.
  [[nodiscard]] bool begin_here(crew& home, places which) noexcept;
  /// A calling thread waits here after it has injected or begun the job, as done_signal::sleep_by() says. To look for a
  /// while before it sleeps gains nothing: with 2 workers on 2 cores a loop over 200 numbers took 20 us with 20 us of
  /// looking, and 16 to 20 without.
  template <class Wait>
  void sleep_until_done(Wait& wait) noexcept {
    done_.sleep_by(wait);
    sanitizers::take_over(this);
  }
  /// The caller, after the job is done: throws what the call threw.
  void throw_if_failed() {
    if (failure_ != nullptr) rethrow_failure(std::move(failure_));
  }

 private:
  static void execute(job& self) noexcept;
  void call_here() noexcept;
  /// The job may be gone as soon as the caller sees the store, so the wake-up uses only the address.
  void signal_done() noexcept;

  raw_task call_;
  call_site where_;
  done_signal done_;
  const worker* begun_in_ = nullptr;
  bool resumes_fiber_ = false;
  const cancel_scope* caller_scope_ = nullptr;
  std::exception_ptr failure_;
};

/// What a caller knows of its call.
struct call_terms {
  places may_take = places::of_sleepers;
  /// Whether the call, whose data this gets, may go to further workers while those of its crew have other work.
  bool (*may_leave)(void* data) noexcept = [](void*) noexcept { return true; };
};

/// The caller is no worker of `home`, and waits. Throws: what the call throws; as crew::visit.
void call_from_outside(crew& home, raw_task call, const call_site& where, const call_terms& terms);
/// The same by the calling thread, which is outside, if there is a place for it in `home`; else false, at once. The
/// caller keeps the crew. `call` throws nothing.
[[nodiscard]] bool call_in_place(crew& home, raw_task call, places which) noexcept;

}  // namespace nearfork::detail

#include <nearfork/detail/tasks/event.hpp>

#include <nearfork/detail/scheduler.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/forks/given_jobs.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/deputy.hpp"

namespace nearfork::detail {

void await(event& awaited) noexcept {
  if (!awaited.happened()) {
    if (thread_mark()) {
      wait_for_outside(this_fiber(), awaited.happening());
    } else {
      lend_kept_place();
      awaited.sleep();
    }
  }
  sanitizers::take_over(&awaited);
}

void happen(event& awaited) noexcept {
  sanitizers::hand_over(&awaited);
  if (fiber* const waiter = awaited.finish()) waiter->runner->home.make_ready(*waiter);
}

}  // namespace nearfork::detail

#include <nearfork/detail/tasks/async_job.hpp>

#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/error.hpp>
#include <nearfork/tasks/future.hpp>

#include "base/sanitizer_calls.hpp"
#include "base/soon.hpp"
#include "runtime/forks/root_job.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

void async_job::wait() {
  if (!ready() && !entered_in_this_process())
    throw error(
        "nearfork: this future's task was started before fork(), and runs only in the parent process; start it again "
        "in the child, in a new nearfork::runtime");
  // A trivial task takes 1.3 us so, and 14 if this thread sleeps. A worker that was woken for it takes longer to come.
  if (!ready() && !thread_mark())
    (void)happens_soon([this] { return ready(); }, [this] { return entered().has_woken(); });
  if (!ready() && !thread_mark()) begin_here();
  crew* const visited = !ready() && !thread_mark() && entered().entrance().try_enter() ? &entered() : nullptr;
  await(done_, visited);
  if (visited != nullptr) visited->entrance().leave();
}

/// The thread that waits is as good as a worker that is about to come for the task, and better than one that has other
/// work: it takes the task out of the injector, in a place of its own.
void async_job::begin_here() noexcept {
  crew& home = entered();
  if (home.recorder() != nullptr || home.books().trace != nullptr || home.pins_waits()) return;
  const auto begin = [](void* data) {
    auto& me = *static_cast<async_job*>(data);
    if (me.entered().injector().take_out([&](const work_item& one) { return one.start == &me; })) me.run();
  };
  try {
    call_from_outside(home, {begin, this}, {__builtin_FILE(), __builtin_LINE()}, {.may_take = places::of_woken});
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): then workers have it, as all others
  }
}

void async_job::let_go() noexcept {
  sanitizers::hand_over(this);
  if (!holders_.let_go()) return;
  sanitizers::take_over(this);
  delete this;
}

void async_job::execute_awaited(raw_task call) noexcept {
  crew& home = entered();
  try {
    call_as_root(call);
  } catch (...) {
    failure_ = std::current_exception();
  }
  sanitizers::hand_over(&done_);
  fiber* const waiter = done_.finish();
  let_go();
  resume_waiter(waiter);
  leave(home);
}

void refuse_empty_future() {
  throw error(
      "nearfork: this future has no task: it was made without one, was moved from, or get() was called before; ask "
      "valid() first");
}

}  // namespace nearfork::detail

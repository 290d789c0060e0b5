#include <nearfork/detail/tasks/async_job.hpp>

#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/error.hpp>
#include <nearfork/tasks/future.hpp>

#include "base/sanitizer_calls.hpp"
#include "base/soon.hpp"
#include "runtime/forks/root_job.hpp"
#include "runtime/relief/relief.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

namespace {

/// How a thread outside sleeps until its task is done. If all workers have other work for long, it begins the task
/// itself, in the relief.
class future_sleep {
 public:
  future_sleep(crew& home, raw_task begin_task) : home_(home), begin_task_(begin_task), sleep_(home) {}
  void operator()(seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    if (sleep_.finds_busy(home_, word, expected)) begin_in(relief::make_beside(home_));
  }
  /// nullptr: nothing happens.
  void begin_in(crew* beside) noexcept {
    if (beside != nullptr && call_in_place(*beside, begin_task_, places::of_sleepers)) relief::count_beside(home_);
  }

 private:
  crew& home_;
  const raw_task begin_task_;
  relieving_sleep sleep_;
};

}  // namespace

void async_job::wait() {
  if (ready()) return sanitizers::take_over(&done_);
  if (!entered_in_this_process())
    throw error(
        "nearfork: this future's task was started before fork(), and runs only in the parent process; start it again "
        "in the child, in a new nearfork::runtime");
  if (thread_mark()) return await(done_);
  wait_outside();
  sanitizers::take_over(&done_);
}

void async_job::wait_outside() noexcept {
  // A trivial task takes 1.3 us so, and 14 if this thread sleeps. A worker that was woken for it takes longer to come:
  // 8 us of work took 25 to 30 us, and takes 15 by this thread.
  crew& home = entered();
  if (happens_soon([this] { return ready(); }, [&] { return home.has_woken(); })) return;
  if (!home.entrance().try_enter()) return await(done_);
  const raw_task begin_task{&begin_if_nobody_has, this};
  future_sleep how(home, begin_task);
  if (!home.keeps_calls() && !home.injector().looks_empty() && !call_in_place(home, begin_task, places::of_woken))
    how.begin_in(relief::beside_long_work(home));
  if (!ready()) {
    lend_kept_place();
    done_.sleep_by(how);
  }
  home.entrance().leave();
}

void async_job::begin_if_nobody_has(void* job) {
  auto& me = *static_cast<async_job*>(job);
  if (me.entered().take_out_of_injector(me)) me.run();
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

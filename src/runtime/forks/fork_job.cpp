// What children of forks have in common, whatever their types: how they run, fail and are given up.
#include <nearfork/detail/stack_job.hpp>

#include <utility>

#include <nearfork/detail/scheduler.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/forks/fork_cancelling.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

std::exception_ptr fork_job::take_failure() noexcept {
  std::exception_ptr failure = std::move(failure_);
  std::destroy_at(std::addressof(failure_));
  ended_ = ending::nothing;
  return failure;
}

void fork_job::throw_failure() {
  rethrow_failure(take_failure());
}

void fork_job::set_cancelled() noexcept {
  ::new (static_cast<void*>(std::addressof(failure_))) std::exception_ptr(std::make_exception_ptr(cancelled()));
  ended_ = ending::cancelled;
}

void fork_job::set_caught() noexcept {
  ::new (static_cast<void*>(std::addressof(failure_))) std::exception_ptr(std::current_exception());
  ended_ = handles_cancelled() ? ending::cancelled : ending::failure;
}

void fork_job::execute_as(raw_task call) noexcept {
  if (begin_fork_job()) {
    try {
      call();
    } catch (...) {
      set_caught();
    }
  } else set_cancelled();
  if (ended_ != ending::value) [[unlikely]]
    end_failed_fork_job();
  sanitizers::hand_over(this);
  resume_waiter(finish());  // [J3]
}

void resume_waiter(fiber* waiter) noexcept {
  // Jobs with waiters end directly under worker_loop.
  if (waiter != nullptr) crew::ready_at_end(*this_fiber().runner, *waiter);
}

namespace {

/// True: the job in `position` is the caller's again and not started. False: a thief ran the job and was told to stop,
/// and the job is done.
bool give_up(fiber& self, slot* position, job& other) noexcept {
  bool ours = self.jobs.owner_pop(position) || take_back(self, position);
  if (!ours) {
    cancel_forks_from(self, position);
    ours = take_back_or_wait(self, position, other);
  }
  expect_unwinding(self);
  return ours;
}

bool failed(const fork_job& child) noexcept {
  return child.ended() == ending::failure || child.ended() == ending::cancelled;
}

/// The slot of a pushed job. It is the youngest job on the stack, but stolen jobs of groups may lie above it: their
/// slots are not used again until the forking frame sets the head (task_group::count_stolen()).
slot* slot_of(fiber& self, const job& pushed) noexcept {
  slot* position = self.jobs.owner_head() - 1;
  while (position->load(seam::memory_order_relaxed) != &pushed) --position;
  return position;
}

}  // namespace

void abandon_fork(fork_job& other) {
  fiber& self = this_fiber();
  if (give_up(self, slot_of(self, other), other)) other.expect_nothing();
  if (!failed(other)) return;
  const ending how = other.ended();
  std::exception_ptr failure = other.take_failure();
  if (how != ending::failure || !handles_cancelled()) return;
  rethrow_failure(std::move(failure));
}

std::exception_ptr abandon_rest(std::span<fork_job* const> children) noexcept {
  fiber& self = this_fiber();
  if (children.empty()) {
    expect_unwinding(self);
    return nullptr;
  }
  slot* above = slot_of(self, *children[0]) + 1;
  slot* const first_slot = above - children.size();
  cancel_forks_from(self, first_slot);
  std::exception_ptr cause;
  for (fork_job* const child : children) {
    slot* const position = --above;
    if (self.jobs.owner_pop(position) || take_back_or_wait(self, position, *child)) child->expect_nothing();
    if (!failed(*child)) continue;
    const ending how = child->ended();
    std::exception_ptr failure = child->take_failure();
    if (how == ending::failure && cause == nullptr) cause = std::move(failure);
  }
  forget_cancelled_forks(self, first_slot);
  return cause != nullptr && handles_cancelled() ? cause : nullptr;
}

}  // namespace nearfork::detail

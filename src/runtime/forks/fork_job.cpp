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
  const ending how = ended_;
  rethrow_failure(take_failure(), how);
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

}  // namespace

void abandon_fork(fiber& self, slot* position, fork_job& other) {
  if (give_up(self, position, other)) other.expect_nothing();
  if (!failed(other)) return;
  const ending how = other.ended();
  std::exception_ptr failure = other.take_failure();
  if (how == ending::failure && handles_cancelled()) rethrow_failure(std::move(failure), ending::failure);
}

std::exception_ptr abandon_rest(fiber& self, slot* first_slot, std::span<fork_job* const> children,
                                std::size_t begin) noexcept {
  cancel_forks_from(self, first_slot);
  std::exception_ptr cause;
  for (std::size_t i = begin; i < children.size(); ++i) {
    fork_job& child = *children[i];
    slot* const position = first_slot + (children.size() - 1 - i);
    if (self.jobs.owner_pop(position) || take_back_or_wait(self, position, child)) child.expect_nothing();
    if (!failed(child)) continue;
    const ending how = child.ended();
    std::exception_ptr failure = child.take_failure();
    if (how == ending::failure && cause == nullptr) cause = std::move(failure);
  }
  forget_cancelled_forks(self, first_slot);
  return handles_cancelled() ? cause : nullptr;
}

}  // namespace nearfork::detail

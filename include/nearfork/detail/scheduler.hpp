// Functions of the library that the inlined fork path calls where its fast path ends. All are cold.
#pragma once

#include <cstdint>
#include <span>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>

namespace nearfork::detail {

enum class push_outcome : std::uint8_t {
  pushed,     // the job is in the deque
  full,       // the deque has no room, or the job must not be shared: call it in place
  planned,    // a plan decides about this fork: hand all children to run_planned()
  cancelled,  // the forking task is cancelled: call throw_cancelled()
};

/// Call it when a push reached the limit: a thief or a sleeping worker asked, the deque is full, or a plan is in force.
/// The job has been written to `head` but is not pushed yet.
[[nodiscard]] push_outcome push_slow(fiber& self, slot* head) noexcept;

/// Takes back the youngest job if it is not seen as private: it was shared, or a thief asked. That thief then gets some
/// of the older jobs. True: the job is the caller's again. False: a thief has it.
[[nodiscard]] bool take_back(fiber& self, slot* position) noexcept;

/// The same, but waits for a job that a thief has. True: the job is the caller's again and not started; call it in
/// place. False: a thief ran the job, and it is done. This fiber was suspended if it had to wait.
[[nodiscard]] bool take_back_or_wait(fiber& self, slot* position, job& waited) noexcept;

/// Call it in a handler: gives up the fork whose job lies in `position`. True: the job is the caller's again and not
/// started. False: a thief ran the job and was told to stop, and the job is done.
[[nodiscard]] bool abandon_fork(fiber& self, slot* position, job& other) noexcept;

/// Cancels the work of all forks from `position` on, until forget_cancelled_forks().
void cancel_forks_from(fiber& self, slot* position) noexcept;
void forget_cancelled_forks(fiber& self, slot* position) noexcept;
/// True if the task that forks at `position` is cancelled and must not fork any more. Cold: call it on the slow path.
[[nodiscard]] bool must_stop_at(fiber& self, slot* position) noexcept;

/// True while an exception unwinds this fiber and something is cancelled. Cold.
[[nodiscard]] bool must_run_in_place(const fiber& self) noexcept;

/// Runs all children of a fork above the plan's subtree roots, in the order and in the domains that the plan names.
/// Returns when all are done.
void run_planned(fiber& self, std::span<job* const> children) noexcept;

/// Puts a group's job that is not in this fiber's deque into the pool of the worker's domain.
void push_to_pool(fiber& self, job& pushed) noexcept;

/// Suspends this fiber until `waited` is done.
void wait_for(fiber& self, job& waited) noexcept;

}  // namespace nearfork::detail

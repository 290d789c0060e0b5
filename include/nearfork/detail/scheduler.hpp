// Functions of the library that the inlined fork path calls where its fast path ends. All are cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>
#include <nearfork/detail/stack_job.hpp>

namespace nearfork::detail {

enum class push_outcome : std::uint8_t {
  pushed,     // the jobs are in the deque
  full,       // the deque has no room, or the jobs must not be shared: they run in place
  planned,    // a plan decides about this fork
  cancelled,  // the forking task is cancelled
  outside,    // the forking thread is no worker
};

// The functions without a fiber are called on the fiber that forks, and find it by the stack pointer.

/// Call it when a push reached the limit: a thief or a sleeping worker asked, the deque is full, or a plan is in force.
/// The job has been written to the head's slot but is not pushed yet.
[[nodiscard]] push_outcome push_slow() noexcept;
/// The same for the children of a wide fork, of which none has been written: all or none are pushed, from the head on.
[[nodiscard]] push_outcome push_wide_slow(std::span<job* const> pushed) noexcept;

/// Runs all children of a fork that was not pushed. Afterwards each has a value.
/// Throws: what a child threw, of several children the first by position; nearfork::cancelled if the forking task is
/// cancelled.
void run_slowly(push_outcome why, std::span<const slow_child> children, const call_site& where);

/// Takes back the youngest job if it is not seen as private: it was shared, or a thief asked. That thief then gets some
/// of the older jobs. True: the job is the caller's again. False: a thief has it.
[[nodiscard]] bool take_back(fiber& self, slot* position) noexcept;

/// The same, but waits for a job that a thief has. True: the job is the caller's again and not started; call it in
/// place. False: a thief ran the job, and it is done. This fiber was suspended if it had to wait.
[[nodiscard]] bool take_back_or_wait(fiber& self, slot* position, job& waited) noexcept;
/// The same for the job in the head's slot. Call it after owner_pop() was false.
[[nodiscard]] bool take_youngest_back_or_wait() noexcept;

/// The job in the head's slot: the one that take_youngest_back_or_wait() waited for.
[[nodiscard]] inline job& job_at_head() noexcept {
  return *this_fiber().jobs.owner_head()->load(seam::memory_order_relaxed);
}

/// Call it in a handler, when the first child of a fork threw: gives up the other child. If it has not started, it is
/// dropped; else it is told to stop, and this waits for it. Afterwards ended() tells whether it left a value. If the
/// first child was cancelled because the other one failed, this throws that failure.
void abandon_fork(fork_job& other);

/// The same for the children of a wide fork after the one that threw, if there are any. Returns the failure to throw
/// instead of the handled exception; nullptr: none.
[[nodiscard]] std::exception_ptr abandon_rest(std::span<fork_job* const> children) noexcept;

/// Puts a group's job that is not in this fiber's deque into the pool of the worker's domain.
void push_to_pool(fiber& self, job& pushed) noexcept;

/// Suspends this fiber until `waited` is done.
void wait_for(fiber& self, job& waited) noexcept;

}  // namespace nearfork::detail

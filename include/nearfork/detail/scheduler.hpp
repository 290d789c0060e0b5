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

/// Call it when a push reached the limit: a thief or a sleeping worker asked, the deque is full, or a plan is in force.
/// The job has been written to `head` but is not pushed yet.
[[nodiscard]] push_outcome push_slow(fiber& self, slot* head) noexcept;
/// The same for the children of a wide fork, of which none has been written: all or none are pushed, from `head` on.
[[nodiscard]] push_outcome push_wide_slow(fiber& self, slot* head, std::span<job* const> pushed) noexcept;

/// Runs all children of a fork that was not pushed. Afterwards each has a value.
/// Throws: what a child threw, of several children the first by position; nearfork::cancelled if the forking task is
/// cancelled.
void run_slowly(fiber* self, push_outcome why, std::span<const slow_child> children, const call_site& where);

/// Takes back the youngest job if it is not seen as private: it was shared, or a thief asked. That thief then gets some
/// of the older jobs. True: the job is the caller's again. False: a thief has it.
[[nodiscard]] bool take_back(fiber& self, slot* position) noexcept;

/// The same, but waits for a job that a thief has. True: the job is the caller's again and not started; call it in
/// place. False: a thief ran the job, and it is done. This fiber was suspended if it had to wait.
[[nodiscard]] bool take_back_or_wait(fiber& self, slot* position, job& waited) noexcept;

/// Call it in a handler, when the first child of a fork threw: gives up the other child, whose job lies in `position`.
/// If it has not started, it is dropped; else it is told to stop, and this waits for it. Afterwards ended() tells
/// whether it left a value. If the first child was cancelled because the other one failed, this throws that failure.
void abandon_fork(fiber& self, slot* position, fork_job& other);

/// The same for the children of a wide fork from `begin` on; `first_slot` is the slot of the last one. Returns the
/// failure to throw instead of the handled exception; nullptr: none.
[[nodiscard]] std::exception_ptr abandon_rest(fiber& self, slot* first_slot, std::span<fork_job* const> children,
                                              std::size_t begin) noexcept;

/// Puts a group's job that is not in this fiber's deque into the pool of the worker's domain.
void push_to_pool(fiber& self, job& pushed) noexcept;

/// Suspends this fiber until `waited` is done.
void wait_for(fiber& self, job& waited) noexcept;

}  // namespace nearfork::detail

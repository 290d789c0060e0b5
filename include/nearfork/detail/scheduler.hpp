// What the inlined fork path asks of the library when the fast way ends. All cold.
#pragma once

#include <cstdint>
#include <span>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>

namespace nearfork::detail {

enum class push_outcome : std::uint8_t {
  pushed,     // the job is in the deque
  full,       // it is not, since there is no room or it must not be shared: call it in place
  planned,    // a plan decides about this fork: hand all children to run_planned()
  cancelled,  // the task that forks is: throw_cancelled()
};

/// The limit was reached: a thief or a sleeper asked, the deque is full, or a plan is in force.
/// The job has been written to `head` but is not pushed yet.
[[nodiscard]] push_outcome push_slow(fiber& self, slot* head) noexcept;

/// The youngest job is not seen as private: it was shared, or a thief asked, who then gets of the older ones.
/// True: it is ours again. False: a thief has it.
[[nodiscard]] bool take_back(fiber& self, slot* position) noexcept;

/// The same, and waits if a thief has it. True: it is ours again and not started, call it in place.
/// False: a thief ran it and it is done; this fiber was suspended if it had to wait.
[[nodiscard]] bool take_back_or_wait(fiber& self, slot* position, job& waited) noexcept;

/// In a handler: the fork whose job lies in `position` is given up. True: the job is ours again and not started. False: a
/// thief ran it, told to stop, and it is done.
[[nodiscard]] bool abandon_fork(fiber& self, slot* position, job& other) noexcept;

/// The work of all forks from `position` on stops as soon as it can, until forget_cancelled_forks().
void cancel_forks_from(fiber& self, slot* position) noexcept;
void forget_cancelled_forks(fiber& self, slot* position) noexcept;
/// True if a fork at `position` is one too many: the task that forks is cancelled. Cold: call it on the slow path.
[[nodiscard]] bool must_stop_at(fiber& self, slot* position) noexcept;

/// True where an exception unwinds this fiber while something is cancelled. Cold.
[[nodiscard]] bool must_run_in_place(const fiber& self) noexcept;

/// Runs all children of a fork above the plan's subtree roots, in the order and the domains that the
/// plan names, and returns when all are done.
void run_planned(fiber& self, std::span<job* const> children) noexcept;

/// A job of a group that is not in this fiber's deque goes to the pool of the worker's domain.
void push_to_pool(fiber& self, job& pushed) noexcept;

/// Suspends until `waited` is done.
void wait_for(fiber& self, job& waited) noexcept;

}  // namespace nearfork::detail

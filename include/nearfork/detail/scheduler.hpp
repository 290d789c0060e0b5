// What the inlined fork path asks of the library when the fast way ends. All cold.
#pragma once

#include <cstdint>
#include <span>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>

namespace nearfork::detail {

enum class push_outcome : std::uint8_t {
  pushed,   // the job is in the deque
  full,     // it is not: call it in place
  planned,  // a plan decides about this fork: hand all children to run_planned()
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

/// Runs all children of a fork above the plan's subtree roots, in the order and the domains that the
/// plan names, and returns when all are done.
void run_planned(fiber& self, std::span<job* const> children) noexcept;

/// A job of a group that is not in this fiber's deque goes to the pool of the worker's domain.
void push_to_pool(fiber& self, job& pushed) noexcept;

/// Suspends until `waited` is done.
void wait_for(fiber& self, job& waited) noexcept;

}  // namespace nearfork::detail

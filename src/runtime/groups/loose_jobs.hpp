// Loose jobs: tasks that a task spawns into a group which another frame has made, and so another frame waits for. They
// lie at the bottom of the spawner's deque, below what its own frames push, and run when the spawner has ended. A pool
// would take two locks and a look at who sleeps for each of them.
//
//   slots [bottom, loose_end)  loose jobs: a job may be added while the head is here, so no frame has a job above
//   slots [loose_end, head)    jobs of frames, nested as always
//
// Thieves take them as they take all jobs, the oldest first. A fiber that is suspended gives them away with the rest of
// its deque (given_jobs.hpp).
#pragma once

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>

namespace nearfork::detail {

/// On the fiber that runs now. False: a frame has a job in the deque, a plan or a recording is to see each task, the
/// task is cancelled, or there are many loose jobs already. Then the job belongs in a pool.
[[nodiscard]] bool push_loose(fiber& self, job& pushed) noexcept;

/// Whether there are, or were, loose jobs that nobody took back. Call this and the next two when a task has ended and
/// no frame is left on the fiber.
[[nodiscard]] inline bool has_loose(fiber& self) noexcept {
  return self.jobs.owner_head() != self.jobs.owner_bottom();
}
/// The youngest; nullptr: thieves have taken all that were left.
[[nodiscard]] job* take_loose(fiber& self) noexcept;
/// Puts those that are left into the pool of the worker's domain.
void give_away_loose(fiber& self) noexcept;

}  // namespace nearfork::detail

// What a fiber does with the jobs of its deque before it waits for something that is not its own stolen job.
//
// A join waits only for a stolen job, and then all older jobs are stolen, too. A fiber that waits for an event may
// still have jobs in its deque. No thief finds them there, because a suspended fiber is no worker's present fiber; and
// the event may depend on them. So the fiber takes them as a thief would, and puts them into the pool of its domain,
// where its own worker looks next. Their joins later find them stolen. [S6] of suspension.md.
#pragma once

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>

namespace nearfork::detail {

/// Empties the deque of the calling fiber into the pool of its domain.
void give_away_jobs(fiber& self) noexcept;

/// wait_for() for a job that another thread or another runtime finishes.
void wait_for_outside(fiber& self, job& waited) noexcept;

}  // namespace nearfork::detail

// How a job runs at the bottom of a fiber, where no frame of the program has pushed anything.
#pragma once

#include <nearfork/detail/fiber.hpp>

#include "runtime/workers/worker.hpp"

namespace nearfork {

/// True: the worker may take another job before it looks at its loop.
[[nodiscard]] bool may_go_on(const worker& me) noexcept;
/// Runs `found`, and the loose jobs that it leaves. Afterwards the fiber's deque is empty.
void start(fiber& self, const work_item& found) noexcept;

/// The same above the frame that waits for `task` and its group: loose jobs of other groups, for which that frame may
/// not wait, go to the domain's pool. The group hears of the ends in settle().
void start_unsettled(fiber& self, job& task) noexcept;
/// Tells the group whose tasks ran here that they have ended. It may be gone then.
void settle(fiber& self) noexcept;

}  // namespace nearfork

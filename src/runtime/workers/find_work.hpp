#pragma once

#include "runtime/workers/work_pool.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork {

/// One pass over the policy's search order. Returns the first work found, or nothing.
[[nodiscard]] work_item find_work(worker& self) noexcept;

/// What the steps find with which the search order begins, before it asks others or for conditions; or nothing.
[[nodiscard]] work_item find_at_hand(worker& self) noexcept;

/// When the worker began to ask others for work: now, if it did not yet.
[[nodiscard]] std::uint64_t search_began(worker& self) noexcept;

/// The next root of those that this worker has taken from the injector, or one from a lane, or nothing.
[[nodiscard]] work_item next_root(worker& self) noexcept;

/// [D6] of deque.hpp: shares the private jobs of all owners that this worker may steal from and that left a request
/// unanswered, because they are in a long task. True: there is something to steal now.
[[nodiscard]] bool open_by_force(worker& self) noexcept;

/// Whether a worker other than `self` has private jobs and has left a request unanswered. Reads what any thread may.
[[nodiscard]] bool unanswered_in_sight(crew& home, std::uint32_t self) noexcept;

/// [P3] of parking.md: whether a pass would find work. Takes none.
[[nodiscard]] bool work_in_sight(worker& self) noexcept;

}  // namespace nearfork

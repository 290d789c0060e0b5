#pragma once

#include "runtime/workers/work_pool.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork {

/// idle() for a worker: searches for config::spin_us, then sleeps until notified, and so on.
/// Returns work, or nothing when the scheduler stops.
[[nodiscard]] work_item idle_until_work(worker& self) noexcept;

/// The search ends. Returns what the worker does next: `found`, or a fiber that has come home meanwhile.
[[nodiscard]] work_item or_who_came_home(worker& self, work_item found) noexcept;

/// A deputy leaves the place of a worker. The worker sleeps on if there is no work.
void give_back_place(worker& place) noexcept;

/// True: there is work that the worker may take.
[[nodiscard]] bool sees_work(worker& self) noexcept;

}  // namespace nearfork

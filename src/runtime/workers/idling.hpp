#pragma once

#include "runtime/workers/work_pool.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork {

/// Searches for a bounded time, then sleeps until notified, and so on: parking.md.
/// Returns work, or nothing when the scheduler stops.
[[nodiscard]] work_item idle_until_work(worker& self) noexcept;

}  // namespace nearfork

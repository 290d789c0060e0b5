#pragma once

#include "runtime/workers/work_pool.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork {

/// idle() for a worker: searches for config::spin_us, then sleeps until notified, and so on.
/// Returns work, or nothing when the scheduler stops.
[[nodiscard]] work_item idle_until_work(worker& self) noexcept;

}  // namespace nearfork

#pragma once

#include "runtime/workers/worker.hpp"

namespace nearfork {

/// What a worker does between jobs, on fiber `self`. Leaves it only by switching away for good.
[[noreturn]] void worker_loop(fiber& self) noexcept;

}  // namespace nearfork

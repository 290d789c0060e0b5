#pragma once

#include "runtime/workers/worker.hpp"

namespace nearfork {

/// The entry function of a fresh fiber.
void fiber_main() noexcept;

/// What a worker does between jobs, on fiber `self`. Ends only by switching away for good.
[[noreturn]] void worker_loop(fiber& self) noexcept;

}  // namespace nearfork

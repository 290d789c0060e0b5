// Allocations that find no memory. region_entry_test.cpp replaces operator new for all unit tests of the runtime.
#pragma once

#include <atomic>

namespace nearfork::test {

/// Which allocation of this thread fails, counted from now; 0: none.
extern constinit thread_local long failing_allocation;
/// The same for all threads: a task that forks may go on on another one.
extern std::atomic<long> failing_anywhere;

}  // namespace nearfork::test

#include "base/fork_order.hpp"
#include "base/made_once.hpp"
#include "memory/placed/placed_memory.hpp"

namespace nearfork {
namespace {

/// A child made by fork() copies this memory. It must not find the lock held by a thread that it does not have.
constexpr fork_handlers memory_around_fork{[]() noexcept { process_memory().before_fork(); },
                                           []() noexcept { process_memory().after_fork(); }};

struct shared_memory {
  shared_memory() {
    call_around_fork(fork_rank::placed_memory, memory_around_fork);
    used_memory.blocks.store(&memory, seam::memory_order_release);
  }
  placed_memory memory{live_os_memory(), live_machine};
};

}  // namespace

placed_memory& process_memory() {
  static constinit made_once<shared_memory> shared;
  return shared.get([] { return shared_memory(); }).memory;
}

}  // namespace nearfork

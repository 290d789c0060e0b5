#include <pthread.h>

#include "base/sanitizer_calls.hpp"
#include "memory/placed_memory.hpp"

namespace nearfork {
namespace {

placed_memory* made_for_process() {
  auto* const made = new placed_memory(live_memory_system(), live_machine);
  // A child made by fork() has this memory, too, and shall not find the lock held by a thread that it does not have.
  ::pthread_atfork([] { process_memory().before_fork(); }, [] { process_memory().after_fork(); },
                   [] { process_memory().after_fork(); });
  used_memory.blocks.store(made, seam::memory_order_release);
  return made;
}

}  // namespace

placed_memory& process_memory() {
  static placed_memory* const shared = made_for_process();
  static const sanitizers::handed_over made(shared);
  sanitizers::take_over(shared);
  return *shared;
}

}  // namespace nearfork

#include <nearfork/detail/tasks/group_task.hpp>

#include <exception>
#include <new>

#include "memory/allocation/small_blocks.hpp"

namespace nearfork::detail {
namespace {

/// The program has asked for no node: where strict pools have none, or this machine cannot be read, malloc serves. Only
/// once is it asked: an exception takes a microsecond.
constinit seam::atomic<bool> pools_refuse{false};

/// nullptr: they have none.
void* take_from_pools(std::size_t bytes, std::size_t alignment) noexcept {
  if (!node_pools::serves(bytes, alignment) || pools_refuse.load(seam::memory_order_relaxed)) return nullptr;
  try {
    return allocate_small(bytes, alignment, {});
  } catch (const std::exception&) {
    pools_refuse.store(true, seam::memory_order_relaxed);
    return nullptr;
  }
}

}  // namespace

task_memory take_task_memory(std::size_t bytes, std::size_t alignment) {
  if (void* const begin = take_from_pools(bytes, alignment)) return {begin, true};
  return {::operator new(bytes, std::align_val_t(alignment)), false};
}

void give_back_task_memory(task_memory memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (memory.from_pools) free_small(memory.begin, bytes);
  else ::operator delete(memory.begin, bytes, std::align_val_t(alignment));
}

}  // namespace nearfork::detail

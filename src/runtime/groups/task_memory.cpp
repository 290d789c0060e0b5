#include <nearfork/detail/tasks/group_task.hpp>

#include <exception>
#include <new>

#include "memory/allocation/small_blocks.hpp"
#include "memory/allocation/spare_blocks.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork::detail {
namespace {

/// The program has asked for no node: where strict pools have none, or this machine cannot be read, malloc serves. Only
/// once is it asked: an exception takes a microsecond.
constinit seam::atomic<bool> pools_refuse{false};

/// Of the worker that the caller runs on. nullptr: there are none, or a sanitizer is to see memory come and go.
spare_blocks* own_spares() noexcept {
  return NEARFORK_SANITIZED || !thread_mark() ? nullptr : &this_fiber().runner->task_blocks;
}

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
  if (spare_blocks* const own = own_spares())
    if (void* const begin = own->take(bytes)) return {begin, true};
  if (void* const begin = take_from_pools(bytes, alignment)) return {begin, true};
  return {::operator new(bytes, std::align_val_t(alignment)), false};
}

void give_back_task_memory(task_memory memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (!memory.from_pools) return ::operator delete(memory.begin, bytes, std::align_val_t(alignment));
  spare_blocks* const own = own_spares();
  if (own == nullptr || !own->keep(memory.begin, bytes)) free_small(memory.begin, bytes);
}

}  // namespace nearfork::detail

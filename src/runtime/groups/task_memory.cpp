#include <nearfork/detail/tasks/group_task.hpp>

#include <new>

#include "memory/allocation/small_blocks.hpp"

namespace nearfork::detail {

void* allocate_task(std::size_t bytes, std::size_t alignment) {
  void* const begin = allocate_small(bytes, alignment, {});
  if (begin == nullptr) throw std::bad_alloc();
  return begin;
}

void free_task(void* begin, std::size_t bytes) noexcept {
  free_small(begin, bytes);
}

}  // namespace nearfork::detail

#include "memory/small_blocks.hpp"

#include <cstdlib>

namespace nearfork {

void* allocate_small(std::size_t bytes, std::size_t alignment, const memory_options&) noexcept {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void free_small(void* begin) noexcept {
  std::free(begin);
}

}  // namespace nearfork

// Where allocations come from that are too small for pages of their own: the heap.
#pragma once

#include <cstddef>

#include <nearfork/memory_options.hpp>

namespace nearfork {

/// nullptr: there is no memory. `alignment`: a power of two.
[[nodiscard]] void* allocate_small(std::size_t bytes, std::size_t alignment, const memory_options& options) noexcept;
/// What allocate_small() gave; it knows by itself how large that was.
void free_small(void* begin) noexcept;

}  // namespace nearfork

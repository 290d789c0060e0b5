// Which allocations of arrays, allocators and memory resources are placed blocks.
#include <nearfork/detail/memory.hpp>
#include <nearfork/memory_resource.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <string>

#include <nearfork/error.hpp>

#include "base/made_once.hpp"
#include "memory/allocation/small_blocks.hpp"
#include "memory/placed/placed_memory.hpp"

namespace nearfork {
namespace detail {
namespace {

void check(std::size_t alignment, const memory_options& options) {
  for (const std::size_t one : {alignment, options.alignment})
    if (one != 0 && (!std::has_single_bit(one) || one > most_alignment))
      throw error("nearfork: an alignment of " + std::to_string(one) +
                  " bytes cannot be had; it must be a power of two of at most " + std::to_string(most_alignment));
}

/// Placed blocks begin at such addresses; the heap hardly ever returns one.
bool may_be_placed(const void* begin) noexcept {
  return reinterpret_cast<std::uintptr_t>(begin) % block_registry::chunk_bytes == 0;
}

/// True if the options ask for something that the heap cannot give.
bool asks_for_pages(const memory_options& options) noexcept {
  return options.where.how != placing::rule::follow_plan || options.huge == huge_pages::wanted;
}

fresh_memory place(std::size_t bytes, std::size_t alignment, const memory_options& options) {
  placed_memory& memory = process_memory();
  bytes = std::max<std::size_t>(bytes, 1);  // a block of nothing has an address, too
  if (void* const again = memory.reuse(bytes, alignment, options)) return {again, false};
  return {memory.allocate(bytes, alignment, options), true};
}

}  // namespace

const memory_options& default_memory_options() {
  static constinit made_once<const memory_options> options;
  return options.get([] { return memory_options{}; });
}

fresh_memory allocate_memory(std::size_t bytes, std::size_t alignment, const memory_options& options, block_kind kind) {
  check(alignment, options);
  const std::size_t aligned = std::max(alignment, options.alignment);
  const bool beyond_pools = is_pooled(bytes) && aligned > largest_block_bytes;
  const bool beyond_heap = !is_pooled(bytes) && asks_for_pages(options);
  if (kind == block_kind::placed || bytes >= placed_from_bytes || beyond_pools || beyond_heap)
    return place(bytes, aligned, options);
  void* const begin = allocate_small(bytes, aligned, options);
  if (begin == nullptr)
    throw error("nearfork: no memory for " + std::to_string(bytes) +
                " bytes: the system has none; see ulimit -v and the "
                "cgroup's memory.max");
  return {begin, false};
}

void free_memory(void* begin, std::size_t bytes) noexcept {
  if (begin == nullptr || (may_be_placed(begin) && process_memory().free(begin))) return;
  free_small(begin, bytes);
}

std::size_t bytes_of_elements(std::size_t count, std::size_t each_bytes) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (count > most / each_bytes)
    throw error("nearfork: " + std::to_string(count) + " elements of " + std::to_string(each_bytes) +
                " bytes are more than addresses there are");
  return count * each_bytes;
}

}  // namespace detail

void* placed_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return detail::allocate_memory(bytes, alignment, options_).begin;
}

void placed_resource::do_deallocate(void* begin, std::size_t bytes, std::size_t) {
  detail::free_memory(begin, bytes);
}

bool placed_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return dynamic_cast<const placed_resource*>(&other) != nullptr;
}

}  // namespace nearfork

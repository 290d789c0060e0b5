#include "malloc/early_blocks.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <nearfork/detail/malloc_offer.hpp>

namespace nearfork::preloaded {
namespace {

constexpr std::uintptr_t each_bytes = detail::malloc_block_alignment;
constexpr std::uintptr_t most_blocks = 16;

// Written by the first early block, read by all. Relaxed: a caller has a block only after its address was stored here.
constinit std::atomic<std::uintptr_t> arena_begin{0};
constinit std::atomic<std::uintptr_t> blocks_taken{0};

/// Addresses alone: each block takes the memory of the pages that are written.
std::uintptr_t arena() noexcept {
  if (const std::uintptr_t known = arena_begin.load(std::memory_order_relaxed); known != 0) return known;
  void* const mapped = ::mmap(nullptr, (most_blocks + 1) * each_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return 0;
  std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(mapped) + each_bytes - 1) / each_bytes * each_bytes;
  std::uintptr_t other = 0;
  return arena_begin.compare_exchange_strong(other, begin, std::memory_order_relaxed) ? begin : other;
}

}  // namespace

void* early_block(std::size_t bytes) noexcept {
  const std::uintptr_t begin = arena();
  if (begin != 0 && bytes <= each_bytes)
    if (const std::uintptr_t number = blocks_taken.fetch_add(1, std::memory_order_relaxed); number < most_blocks)
      return reinterpret_cast<void*>(begin + number * each_bytes);
  errno = ENOMEM;
  return nullptr;
}

std::size_t early_size(const void* begin) noexcept {
  const std::uintptr_t first = arena_begin.load(std::memory_order_relaxed);
  const auto asked = reinterpret_cast<std::uintptr_t>(begin);
  return first != 0 && asked >= first && asked < first + most_blocks * each_bytes ? each_bytes : 0;
}

}  // namespace nearfork::preloaded

// Which blocks come from the offer of nearfork, and whose a block is that is freed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <nearfork/detail/malloc_offer.hpp>

namespace nearfork::preloaded {

using detail::malloc_wish;

/// Blocks of at least this size may be placed. Without an offer no block is, and the comparison is all that this
/// library costs. Relaxed: who sees the size may still see no offer, and goes on.
[[gnu::visibility("hidden")]] extern std::atomic<std::size_t> placed_from;

[[nodiscard]] inline bool may_place(std::size_t bytes) noexcept {
  return __builtin_expect(bytes >= placed_from.load(std::memory_order_relaxed), 0);
}
/// nullptr: the next malloc serves it.
[[nodiscard]] void* try_place(std::size_t bytes, std::size_t alignment, malloc_wish wish) noexcept;

/// Placed and early blocks begin at such addresses, and so does nullptr. Blocks of glibc's malloc do not.
[[nodiscard]] inline bool may_be_ours(const void* begin) noexcept {
  return __builtin_expect(reinterpret_cast<std::uintptr_t>(begin) % detail::malloc_block_alignment == 0, 0);
}
/// True for nullptr, too. Leaves errno as it is.
[[nodiscard]] bool try_free(void* begin) noexcept;
/// 0: the block is not ours.
[[nodiscard]] std::size_t own_size(const void* begin) noexcept;

}  // namespace nearfork::preloaded

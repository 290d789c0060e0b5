#include "malloc/placing.hpp"

#include <cerrno>

#include "malloc/early_blocks.hpp"
#include "malloc/shared_counts.hpp"

namespace nearfork::preloaded {
namespace {

// Set once. Release and acquire: who sees the offer sees its functions.
constinit std::atomic<const detail::malloc_offer*> offer_taken{nullptr};

}  // namespace

constinit std::atomic<std::size_t> placed_from{std::numeric_limits<std::size_t>::max()};

void* try_place(std::size_t bytes, std::size_t alignment, malloc_wish wish) noexcept {
  const detail::malloc_offer* const offer = offer_taken.load(std::memory_order_acquire);
  if (offer == nullptr) return nullptr;
  const int errno_before = errno;
  void* const begin = offer->allocate(bytes, alignment, wish);
  if (begin != nullptr) count_block(bytes);
  errno = errno_before;
  return begin;
}

bool try_free(void* begin) noexcept {
  if (begin == nullptr || early_size(begin) > 0) return true;
  const detail::malloc_offer* const offer = offer_taken.load(std::memory_order_acquire);
  if (offer == nullptr) return false;
  const int errno_before = errno;
  const bool freed = offer->free(begin);
  errno = errno_before;
  return freed;
}

std::size_t own_size(const void* begin) noexcept {
  if (const std::size_t early = early_size(begin); early > 0 || begin == nullptr) return early;
  const detail::malloc_offer* const offer = offer_taken.load(std::memory_order_acquire);
  return offer != nullptr ? offer->usable(begin) : 0;
}

}  // namespace nearfork::preloaded

bool nearfork::detail::nearfork_malloc_take(const malloc_offer* offer, std::size_t from_bytes) noexcept {
  using namespace nearfork::preloaded;
  if (offer->version != malloc_offer_version) return false;
  const malloc_offer* before = nullptr;
  if (offer_taken.compare_exchange_strong(before, offer, std::memory_order_acq_rel)) count_offer();
  else if (before != offer) return false;
  placed_from.store(from_bytes, std::memory_order_relaxed);
  return true;
}

// Tells the address sanitizer which bytes of a span nobody may touch, and the leak sanitizer where pointers may lie.
// A free block keeps its links, so its first 16 bytes stay open. Empty in other builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define NEARFORK_POOL_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEARFORK_POOL_POISON 1
#endif
#endif

#if defined(NEARFORK_POOL_POISON)
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace nearfork::poison {

inline void close([[maybe_unused]] void* from, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(NEARFORK_POOL_POISON)
  __asan_poison_memory_region(from, bytes);
#endif
}
inline void open([[maybe_unused]] void* from, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(NEARFORK_POOL_POISON)
  __asan_unpoison_memory_region(from, bytes);
#endif
}
/// Blocks hold pointers to what users allocate elsewhere.
inline void span_taken([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(NEARFORK_POOL_POISON)
  __lsan_register_root_region(start, bytes);
#endif
}
inline void span_given_back([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) noexcept {
  open(start, bytes);  // whoever gets these addresses next
#if defined(NEARFORK_POOL_POISON)
  __lsan_unregister_root_region(start, bytes);
#endif
}

}  // namespace nearfork::poison

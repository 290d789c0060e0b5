// What ASan and TSan must be told of each switch of stacks. Empty in other builds.
#pragma once

#include "runtime/fiber_context.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define NEARFORK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEARFORK_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define NEARFORK_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NEARFORK_TSAN 1
#endif
#endif

#if defined(NEARFORK_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(NEARFORK_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace nearfork::sanitizers {

using detail::fiber_context;

inline void create([[maybe_unused]] fiber_context& made) {
#if defined(NEARFORK_TSAN)
  if (made.tsan_fiber == nullptr) made.tsan_fiber = __tsan_create_fiber(0);
#endif
}
inline void adopt_thread([[maybe_unused]] fiber_context& thread) noexcept {
#if defined(NEARFORK_TSAN)
  thread.tsan_fiber = __tsan_get_current_fiber();
#endif
}
inline void destroy([[maybe_unused]] fiber_context& gone) noexcept {
#if defined(NEARFORK_TSAN)
  if (gone.tsan_fiber != nullptr) __tsan_destroy_fiber(gone.tsan_fiber);
  gone.tsan_fiber = nullptr;
#endif
}
inline void start_switch([[maybe_unused]] fiber_context& from, [[maybe_unused]] fiber_context& to) noexcept {
#if defined(NEARFORK_ASAN)
  __sanitizer_start_switch_fiber(&from.asan_fake_stack, to.stack.low, to.stack.bytes());
#endif
#if defined(NEARFORK_TSAN)
  __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
}
/// On the new stack. The bounds of a thread's own stack become known here, at the first switch away from it.
inline void finish_switch([[maybe_unused]] fiber_context& from, [[maybe_unused]] fiber_context& to) noexcept {
#if defined(NEARFORK_ASAN)
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(to.asan_fake_stack, &bottom, &bytes);
  if (from.stack.low == nullptr) {
    from.stack.low = static_cast<std::byte*>(const_cast<void*>(bottom));
    from.stack.high = from.stack.low + bytes;
  }
#endif
}

}  // namespace nearfork::sanitizers

// The functions of address, leak and thread sanitizers, if the running program has one. That is found at run time: a
// program built with -fsanitize links the ordinary library. So each function is weak, and its address is null without
// such a sanitizer. The signatures are those of <sanitizer/*_interface.h>.
//
// A thread sanitizer sees what users' code does. It does not see how this library, which is not instrumented, orders
// that code. So the library tells it wherever users' data goes from one thread or fiber to another: hand_over() before
// the act that publishes, take_over() after the act that receives, both with the same address. None of these places is
// on the fast path of a fork.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack_save, const void** bottom_old,
                                                   std::size_t* size_old);
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* addr, std::size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* addr, std::size_t size);
[[gnu::weak]] void __lsan_register_root_region(const void* p, std::size_t size);
[[gnu::weak]] void __lsan_unregister_root_region(const void* p, std::size_t size);
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void __tsan_acquire(void* addr);
[[gnu::weak]] void __tsan_release(void* addr);
}

namespace nearfork::sanitizers {

[[nodiscard]] inline bool checks_addresses() noexcept {
  return __sanitizer_start_switch_fiber != nullptr;
}
[[nodiscard]] inline bool checks_threads() noexcept {
  return __tsan_switch_to_fiber != nullptr;
}

/// Orders all that this thread did so far before what follows a take_over() of the same address.
inline void hand_over(const volatile void* address) noexcept {
  if (__tsan_release != nullptr) [[unlikely]]
    __tsan_release(const_cast<void*>(address));
}
inline void take_over(const volatile void* address) noexcept {
  if (__tsan_acquire != nullptr) [[unlikely]]
    __tsan_acquire(const_cast<void*>(address));
}

/// Make one beside a static variable, for the call that makes the variable: a sanitizer does not see how the compiler's
/// guard orders the calls. All other calls take_over() it.
struct handed_over {
  explicit handed_over(const volatile void* made) noexcept { hand_over(made); }
};

/// close(): no thread may touch these bytes. open(): all threads may.
inline void close(const volatile void* from, std::size_t bytes) noexcept {
  if (__asan_poison_memory_region != nullptr) [[unlikely]]
    __asan_poison_memory_region(from, bytes);
}
inline void open(const volatile void* from, std::size_t bytes) noexcept {
  if (__asan_unpoison_memory_region != nullptr) [[unlikely]]
    __asan_unpoison_memory_region(from, bytes);
}

/// Says that memory outside the heap may hold the only pointers to heap memory, which is then no leak.
inline void holds_pointers(const void* from, std::size_t bytes) noexcept {
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(from, bytes);
}
/// Ends that for a region that was told before.
inline void holds_no_pointers(const void* from, std::size_t bytes) noexcept {
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(from, bytes);
}

}  // namespace nearfork::sanitizers

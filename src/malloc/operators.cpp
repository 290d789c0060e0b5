// operator new and operator delete in all forms, in place of the C++ library's. Without them, those of an allocator
// that brings its own would never ask malloc, and nothing would be placed.
#include <cstddef>
#include <new>

#include "malloc/next_malloc.hpp"
#include "malloc/placing.hpp"

namespace {

using namespace nearfork::preloaded;

constexpr std::size_t as_for_new = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

inline void* place_new(std::size_t bytes, std::size_t alignment) {
  return may_place(bytes) ? try_place(bytes, alignment, malloc_wish::fresh) : nullptr;
}

inline void* make(std::size_t bytes) {
  if (void* const placed = place_new(bytes, as_for_new)) return placed;
  void* const made = next_cxx.one.get()(bytes);
  return __builtin_expect(made != nullptr, 1) ? made : new_without_memory(bytes);
}

inline void* make(std::size_t bytes, const std::nothrow_t& tag) {
  if (void* const placed = place_new(bytes, as_for_new)) return placed;
  return next_cxx.nothrow.get()(bytes, tag);
}

inline void* make(std::size_t bytes, std::align_val_t alignment) {
  if (void* const placed = place_new(bytes, static_cast<std::size_t>(alignment))) return placed;
  return next_cxx.aligned.get()(bytes, alignment);
}

inline void* make(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& tag) {
  if (void* const placed = place_new(bytes, static_cast<std::size_t>(alignment))) return placed;
  return next_cxx.aligned_nothrow.get()(bytes, alignment, tag);
}

inline void drop(void* begin) {
  if (may_be_ours(begin) && try_free(begin)) return;
  next_cxx.delete_one.get()(begin);
}

inline void drop(void* begin, std::align_val_t alignment) {
  if (may_be_ours(begin) && try_free(begin)) return;
  next_cxx.delete_aligned.get()(begin, alignment);
}

}  // namespace

// clang-format off
void* operator new(std::size_t bytes) { return make(bytes); }
void* operator new[](std::size_t bytes) { return make(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& tag) noexcept { return make(bytes, tag); }
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept { return make(bytes, tag); }
void* operator new(std::size_t bytes, std::align_val_t at) { return make(bytes, at); }
void* operator new[](std::size_t bytes, std::align_val_t at) { return make(bytes, at); }
void* operator new(std::size_t bytes, std::align_val_t at, const std::nothrow_t& tag) noexcept { return make(bytes, at, tag); }
void* operator new[](std::size_t bytes, std::align_val_t at, const std::nothrow_t& tag) noexcept { return make(bytes, at, tag); }

void operator delete(void* begin) noexcept { drop(begin); }
void operator delete[](void* begin) noexcept { drop(begin); }
void operator delete(void* begin, std::size_t) noexcept { drop(begin); }
void operator delete[](void* begin, std::size_t) noexcept { drop(begin); }
void operator delete(void* begin, const std::nothrow_t&) noexcept { drop(begin); }
void operator delete[](void* begin, const std::nothrow_t&) noexcept { drop(begin); }
void operator delete(void* begin, std::align_val_t at) noexcept { drop(begin, at); }
void operator delete[](void* begin, std::align_val_t at) noexcept { drop(begin, at); }
void operator delete(void* begin, std::size_t, std::align_val_t at) noexcept { drop(begin, at); }
void operator delete[](void* begin, std::size_t, std::align_val_t at) noexcept { drop(begin, at); }
void operator delete(void* begin, std::align_val_t at, const std::nothrow_t&) noexcept { drop(begin, at); }
void operator delete[](void* begin, std::align_val_t at, const std::nothrow_t&) noexcept { drop(begin, at); }
// clang-format on

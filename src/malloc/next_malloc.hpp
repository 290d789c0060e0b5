// The allocator behind this library: glibc's, or what was preloaded after this library, such as jemalloc.
//
// The pointers first lead to functions that look all of them up, so the library needs no constructor to work: programs,
// and the loader itself, allocate before constructors run. Looking up may allocate, too: see early_blocks.hpp.
//
// [N1] A pointer leads to the next function, or to one that looks it up: both are right at any time. So callers need no
//      order, relaxed loads are plain moves, and the fast path of malloc is a comparison and a jump.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

namespace nearfork::preloaded {

template <class Function>
class next_function {
 public:
  constexpr explicit next_function(Function* first) noexcept : found_(first) {}
  void know(Function* found) noexcept { found_.store(found, std::memory_order_relaxed); }          // [N1]
  [[nodiscard]] Function* get() const noexcept { return found_.load(std::memory_order_relaxed); }  // [N1]

 private:
  std::atomic<Function*> found_;
};

struct next_malloc {
  next_function<void*(std::size_t)> malloc;
  next_function<void(void*)> free;
  next_function<void*(std::size_t, std::size_t)> calloc;
  next_function<void*(void*, std::size_t)> realloc;
  next_function<void*(std::size_t, std::size_t)> memalign;
  next_function<void*(std::size_t, std::size_t)> aligned_alloc;
  next_function<int(void**, std::size_t, std::size_t)> posix_memalign;
  next_function<std::size_t(void*)> usable;
};

/// Forms for arrays, with sizes, and for nothrow deletion lead to these, as those of the C++ library do.
/// Where the C++ library's own operators come next, which call malloc and free, `one` and `delete_one` are malloc and
/// free: one call less than without this library. So `one` may return nullptr.
struct next_operators {
  next_function<void*(std::size_t)> one;
  next_function<void*(std::size_t, const std::nothrow_t&)> nothrow;
  next_function<void*(std::size_t, std::align_val_t)> aligned;
  next_function<void*(std::size_t, std::align_val_t, const std::nothrow_t&)> aligned_nothrow;
  next_function<void(void*)> delete_one;
  next_function<void(void*, std::align_val_t)> delete_aligned;
};

[[gnu::visibility("hidden")]] extern next_malloc next;
[[gnu::visibility("hidden")]] extern next_operators next_cxx;

/// Where operators come from while no library has been found that has them.
struct operators_by_malloc {
  static void* nothrow(std::size_t bytes, const std::nothrow_t&);
  static void* aligned(std::size_t bytes, std::align_val_t alignment);
  static void* aligned_nothrow(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&);
  static void delete_aligned(void* begin, std::align_val_t);
};

/// Looks up all pointers, once. False: they are being looked up at this moment, by this thread or by another one.
bool look_up_next() noexcept;

/// What the C++ library's operator new does where there is no memory: calls the handler, or throws std::bad_alloc.
/// This library does not link the C++ library, because programs in C would then load it.
[[nodiscard]] void* new_without_memory(std::size_t bytes);
[[nodiscard]] void* new_without_memory(std::size_t bytes, std::align_val_t alignment);

}  // namespace nearfork::preloaded

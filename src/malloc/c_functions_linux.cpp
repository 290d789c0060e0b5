// malloc and its family, in place of the C library's.
#include <malloc.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "malloc/next_malloc.hpp"
#include "malloc/own_names.hpp"
#include "malloc/placing.hpp"

namespace {

using namespace nearfork::preloaded;

constexpr std::size_t plain = alignof(std::max_align_t);

std::size_t lesser(std::size_t one, std::size_t other) {
  return one < other ? one : other;
}

std::size_t greater(std::size_t one, std::size_t other) {
  return one > other ? one : other;
}

/// Copies a block of ours. The old block is freed if there is room for the new one. A block that grows gets half as
/// much more: a program that grows one in steps of a page had it copied each time (4.8 s up to 8 MB, now as malloc).
/// Pages that it does not touch are no memory.
void* move_own(void* begin, std::size_t had_bytes, std::size_t bytes) {
  const std::size_t with_room = bytes > had_bytes ? greater(bytes, had_bytes + had_bytes / 2) : bytes;
  void* made = may_place(bytes) ? try_place(with_room, plain, malloc_wish::grown) : nullptr;
  if (made == nullptr) made = next.malloc.get()(bytes);
  if (made == nullptr) return nullptr;
  std::memcpy(made, begin, lesser(had_bytes, bytes));
  (void)try_free(begin);
  return made;
}

/// A block that shrinks by less than half stays: the pages behind it cost no more than the copy.
void* resize_own(void* begin, std::size_t had_bytes, std::size_t bytes) {
  if (bytes == 0) {
    (void)try_free(begin);
    return nullptr;
  }
  return bytes <= had_bytes && bytes > had_bytes / 2 ? begin : move_own(begin, had_bytes, bytes);
}

/// A block of another malloc that becomes large enough. nullptr: it is not to be placed. A block that was large enough
/// before was left to that malloc, which may grow it without a copy.
void* place_foreign(void* begin, std::size_t bytes) {
  const std::size_t had_bytes = next.usable.get()(begin);
  if (may_place(had_bytes)) return nullptr;
  void* const made = try_place(bytes, plain, malloc_wish::fresh);
  if (made == nullptr) return nullptr;
  std::memcpy(made, begin, lesser(had_bytes, bytes));
  next.free.get()(begin);
  return made;
}

void* resize_slow(void* begin, std::size_t bytes) {
  if (begin == nullptr) return nearfork_own_malloc(bytes);
  if (const std::size_t had_bytes = own_size(begin); had_bytes > 0) return resize_own(begin, had_bytes, bytes);
  void* const made = may_place(bytes) ? place_foreign(begin, bytes) : nullptr;
  return made != nullptr ? made : next.realloc.get()(begin, bytes);
}

void* place_aligned(std::size_t alignment, std::size_t bytes) {
  return std::has_single_bit(alignment) ? try_place(bytes, alignment, malloc_wish::fresh) : nullptr;
}

// Out of line, so that what most blocks take is a comparison and a jump: with clang 19 malloc and free of an untouched
// block cost 13% more than the C library's alone when these were inline, and 6.5% now, as a library that only jumps.
[[gnu::noinline, gnu::cold]] void* malloc_slow(std::size_t bytes) noexcept {
  void* const made = try_place(bytes, plain, malloc_wish::fresh);
  return made != nullptr ? made : next.malloc.get()(bytes);
}

[[gnu::noinline, gnu::cold]] void free_slow(void* begin) noexcept {
  if (!try_free(begin)) next.free.get()(begin);
}

}  // namespace

void* nearfork_own_malloc(std::size_t bytes) noexcept {
  return may_place(bytes) ? malloc_slow(bytes) : next.malloc.get()(bytes);
}

void nearfork_own_free(void* begin) noexcept {
  if (may_be_ours(begin)) free_slow(begin);
  else next.free.get()(begin);
}

#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t bytes) noexcept __attribute__((alias("nearfork_own_malloc")));
void free(void* begin) noexcept __attribute__((alias("nearfork_own_free")));

// Of C23. They must be here: where the C library has them, they reach its own free.
void free_sized(void* begin, std::size_t) noexcept {
  nearfork_own_free(begin);
}
void free_aligned_sized(void* begin, std::size_t, std::size_t) noexcept {
  nearfork_own_free(begin);
}

void* calloc(std::size_t count, std::size_t each) noexcept {
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(count, each, &bytes) && may_place(bytes))
    if (void* const made = try_place(bytes, plain, malloc_wish::zeroed)) return made;
  return next.calloc.get()(count, each);  // which refuses what overflows
}

void* realloc(void* begin, std::size_t bytes) noexcept {
  if (may_be_ours(begin) || may_place(bytes)) return resize_slow(begin, bytes);
  return next.realloc.get()(begin, bytes);
}

void* reallocarray(void* begin, std::size_t count, std::size_t each) noexcept {
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(count, each, &bytes)) return ::realloc(begin, bytes);
  errno = ENOMEM;
  return nullptr;
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  if (may_place(bytes))
    if (void* const made = place_aligned(alignment, bytes)) return made;
  return next.memalign.get()(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  if (may_place(bytes))
    if (void* const made = place_aligned(alignment, bytes)) return made;
  return next.aligned_alloc.get()(alignment, bytes);
}

int posix_memalign(void** into, std::size_t alignment, std::size_t bytes) noexcept {
  if (may_place(bytes) && alignment % sizeof(void*) == 0)
    if (void* const made = place_aligned(alignment, bytes)) {
      *into = made;
      return 0;
    }
  return next.posix_memalign.get()(into, alignment, bytes);
}

// By memalign: not all allocators have these two (jemalloc 5 lacks pvalloc), and a block of the C library's would then
// come to the free of another allocator.
void* valloc(std::size_t bytes) noexcept {
  return ::memalign(static_cast<std::size_t>(::getpagesize()), bytes);
}
void* pvalloc(std::size_t bytes) noexcept {
  const std::size_t page = static_cast<std::size_t>(::getpagesize());
  std::size_t rounded = 0;
  if (!__builtin_add_overflow(bytes, page - 1, &rounded)) return ::memalign(page, rounded / page * page);
  errno = ENOMEM;
  return nullptr;
}

std::size_t malloc_usable_size(void* begin) noexcept {
  if (may_be_ours(begin))
    if (const std::size_t own = own_size(begin); own > 0) return own;
  return next.usable.get()(begin);
}

}  // extern "C"
#pragma GCC visibility pop

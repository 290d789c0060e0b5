#include "tests/malloc/programs/block_forms.hpp"

#include <malloc.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "memory/placed/placed_memory.hpp"
#include "tests/malloc/programs/checks.hpp"

namespace nearfork::test {
namespace {

bool is_aligned(const void* begin, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(begin) % to == 0;
}

void fill_and_free(void* begin, std::size_t bytes) {
  EXPECT(begin != nullptr);
  EXPECT(::malloc_usable_size(begin) >= bytes);
  std::memset(begin, 0x5a, bytes);
  errno = 77;
  ::free(begin);
  EXPECT(errno == 77);
}

bool reads_as(const unsigned char* bytes, std::size_t count, unsigned char value) {
  for (std::size_t i = 0; i < count; ++i)
    if (bytes[i] != value) return false;
  return true;
}

}  // namespace

bool is_placed(const void* begin) {
  return nearfork::process_memory().find(begin).has_value();
}

void check_c_functions() {
  for (const std::size_t bytes : {small, large}) {
    void* one = ::malloc(bytes);
    EXPECT(is_placed(one) == (bytes == large));
    fill_and_free(one, bytes);
    // Twice: the second block may lie on the pages of the first one, which are not zero.
    for (int i = 0; i < 2; ++i) {
      one = ::calloc(bytes / 10, 10);
      EXPECT(is_placed(one) == (bytes == large));
      EXPECT(reads_as(static_cast<const unsigned char*>(one), bytes / 10 * 10, 0));
      fill_and_free(one, bytes / 10 * 10);
    }
    for (const std::size_t alignment : {std::size_t{64}, std::size_t{4096}, std::size_t{1} << 22}) {
      one = ::aligned_alloc(alignment, bytes);
      EXPECT(is_aligned(one, alignment) && is_placed(one) == (bytes == large));
      fill_and_free(one, bytes);
      one = ::memalign(alignment, bytes);
      EXPECT(is_aligned(one, alignment) && is_placed(one) == (bytes == large));
      fill_and_free(one, bytes);
      EXPECT(::posix_memalign(&one, alignment, bytes) == 0);
      EXPECT(is_aligned(one, alignment) && is_placed(one) == (bytes == large));
      fill_and_free(one, bytes);
    }
    one = ::valloc(bytes);
    EXPECT(is_aligned(one, 4096));
    fill_and_free(one, bytes);
    one = ::pvalloc(bytes);
    EXPECT(is_aligned(one, 4096) && ::malloc_usable_size(one) >= 4096);
    fill_and_free(one, bytes);
    fill_and_free(::reallocarray(nullptr, bytes / 8, 8), bytes / 8 * 8);
  }
  ::free(nullptr);
  EXPECT(::malloc_usable_size(nullptr) == 0);
  EXPECT(::malloc(0) != nullptr);  // glibc's answer
}

void check_operators() {
  for (const std::size_t bytes : {small, large}) {
    const auto check = [&](void* begin) {
      EXPECT(begin != nullptr && is_placed(begin) == (bytes == large));
      std::memset(begin, 1, bytes);
      return begin;
    };
    constexpr std::align_val_t at{256};
    ::operator delete(check(::operator new(bytes)));
    ::operator delete(check(::operator new(bytes)), bytes);
    ::operator delete[](check(::operator new[](bytes)));
    ::operator delete[](check(::operator new[](bytes)), bytes);
    ::operator delete(check(::operator new(bytes, std::nothrow)), std::nothrow);
    ::operator delete[](check(::operator new[](bytes, std::nothrow)), std::nothrow);
    ::operator delete(check(::operator new(bytes, at)), at);
    ::operator delete(check(::operator new(bytes, at)), bytes, at);
    ::operator delete[](check(::operator new[](bytes, at)), at);
    ::operator delete[](check(::operator new[](bytes, at)), bytes, at);
    ::operator delete(check(::operator new(bytes, at, std::nothrow)), at, std::nothrow);
    ::operator delete[](check(::operator new[](bytes, at, std::nothrow)), at, std::nothrow);
  }
}

/// In small steps, as a line that is read or a string that is built: moved seldom, and what is moved is whole.
static void check_growing() {
  unsigned char* bytes = nullptr;
  std::size_t size = 0;
  int moves = 0;
  while (size < 8 * large) {
    auto* const grown = static_cast<unsigned char*>(::realloc(bytes, size + 4096));
    EXPECT(grown != nullptr);
    if (grown != bytes && is_placed(grown)) ++moves;  // the next malloc may have given a large one before, and keeps it
    bytes = grown;
    EXPECT(size == 0 || (bytes[0] == 9 && bytes[size - 1] == 9));
    std::memset(bytes + size, 9, 4096);
    size += 4096;
  }
  EXPECT(reads_as(bytes, size, 9));
  EXPECT(moves < 10);
  ::free(bytes);
}

void check_resizing() {
  // Up from the heap to a placed block, on, within, down to half, and back to the heap.
  const std::size_t sizes[] = {small, 2 * small, large, 4 * large, 4 * large - 5, 2 * large, large, small, 10};
  auto* bytes = static_cast<unsigned char*>(::realloc(nullptr, sizes[0]));
  std::memset(bytes, 7, sizes[0]);
  std::size_t kept = sizes[0];
  for (const std::size_t size : sizes) {
    bytes = static_cast<unsigned char*>(::realloc(bytes, size));
    EXPECT(bytes != nullptr && is_placed(bytes) == (size >= large));
    kept = kept < size ? kept : size;
    EXPECT(reads_as(bytes, kept, 7));
    std::memset(bytes, 7, size);
    kept = size;
  }
  ::free(bytes);
  EXPECT(::realloc(::malloc(large), 0) == nullptr);
  check_growing();
}

void check_refusals() {
  volatile std::size_t most = std::numeric_limits<std::size_t>::max();
  errno = 0;
  EXPECT(::malloc(most - 100) == nullptr && errno == ENOMEM);
  errno = 0;
  EXPECT(::calloc(most / 2, 3) == nullptr && errno == ENOMEM);
  errno = 0;
  void* const one = ::malloc(large);
  EXPECT(::realloc(one, most / 2) == nullptr && errno == ENOMEM);
  EXPECT(::malloc_usable_size(one) >= large);
  errno = 0;
  EXPECT(::reallocarray(one, most / 2, 3) == nullptr && errno == ENOMEM);
  ::free(one);
  void* untouched = &errno;
  EXPECT(::posix_memalign(&untouched, 24, large) == EINVAL && untouched == &errno);
  errno = 0;
  bool threw = false;
  try {
    ::operator delete(::operator new(most / 2));
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  EXPECT(threw);
  EXPECT(::operator new(most / 2, std::nothrow) == nullptr);
  threw = false;
  try {
    ::operator delete(::operator new(most / 2, std::align_val_t{64}), std::align_val_t{64});
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  EXPECT(threw);
}

}  // namespace nearfork::test

// An allocator of its own to be preloaded after libnearfork-malloc.so, as jemalloc would be: blocks of operator new
// bear a mark, which operator delete expects. Blocks of malloc have none.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
// glibc's names for its own functions.
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* begin);

void* malloc(std::size_t bytes) noexcept {
  return __libc_malloc(bytes);
}
void free(void* begin) noexcept {
  __libc_free(begin);
}
}

namespace {

constexpr std::uint64_t mark[2] = {0x6e656172666f726b, 0x6f746865726e6577};

}  // namespace

void* operator new(std::size_t bytes) {
  auto* const begin =
      bytes < PTRDIFF_MAX - sizeof mark ? static_cast<char*>(__libc_malloc(bytes + sizeof mark)) : nullptr;
  if (begin == nullptr) throw std::bad_alloc();
  std::memcpy(begin, mark, sizeof mark);
  return begin + sizeof mark;
}

void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  char* const begin = static_cast<char*>(block) - sizeof mark;
  if (std::memcmp(begin, mark, sizeof mark) != 0) std::abort();
  std::memset(begin, 0, sizeof mark);
  __libc_free(begin);
}

void operator delete(void* block, std::size_t) noexcept {
  ::operator delete(block);
}

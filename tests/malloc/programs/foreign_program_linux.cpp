// A program without nearfork. With the path of libnearfork-malloc.so as its argument, it loads and unloads the library.
#include <dlfcn.h>
#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "checks.hpp"

namespace {

/// Blocks that begin where placed blocks would.
void check_aligned_blocks() {
  for (int i = 0; i < 10; ++i) {
    void* const one = ::aligned_alloc(std::size_t{1} << 21, std::size_t{8} << 20);
    EXPECT(one != nullptr && ::malloc_usable_size(one) >= std::size_t{8} << 20);
    void* const grown = ::realloc(one, std::size_t{9} << 20);
    EXPECT(grown != nullptr);
    ::free(grown);
  }
}

void check_unloading(const char* path) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  EXPECT(library != nullptr);
  const auto allocate = reinterpret_cast<void* (*)(std::size_t)>(::dlsym(library, "malloc"));
  const auto release = reinterpret_cast<void (*)(void*)>(::dlsym(library, "free"));
  EXPECT(allocate != nullptr && release != nullptr);
  void* const large = allocate(std::size_t{4} << 20);
  void* const small = allocate(10);
  std::memset(large, 1, std::size_t{4} << 20);
  EXPECT(::dlclose(library) == 0);
  ::free(small);
  release(large);  // the library stays: nobody could know whose blocks still live
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([] {
      for (std::size_t bytes = 1; bytes < std::size_t{16} << 20; bytes *= 3) {
        const auto one = std::make_unique<std::vector<char>>(bytes, 'x');
        EXPECT(one->back() == 'x');
      }
    });
  for (std::thread& one : threads) one.join();
  check_aligned_blocks();
  if (count > 1) check_unloading(words[1]);
  std::puts("all is as it should be");
}

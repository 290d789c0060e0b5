#include "base/threads/patience.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace nearfork {

void wait_for_memory(int waits, const char* purpose) noexcept {
  constexpr int most = 1000;
  if (waits >= most) {
    std::fprintf(stderr, "nearfork: for a second there was no memory to %s; the program ends\n", purpose);
    std::abort();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace nearfork

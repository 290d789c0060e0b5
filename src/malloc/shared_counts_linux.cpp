#include "malloc/shared_counts.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace nearfork::preloaded {
namespace {

// Counted here where nobody asked for counts.
constinit shared_counts nowhere{};
// Set by the constructor below, before the program has a second thread. An offer may come before it: constructors of
// libraries run in the order of their needs; so the first count looks, too.
constinit std::atomic<shared_counts*> counts{nullptr};

shared_counts* map_counts() noexcept {
  const char* const path = ::secure_getenv(counts_variable);
  if (path == nullptr) return &nowhere;
  const int errno_before = errno;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  void* mapped = MAP_FAILED;
  if (file >= 0) {
    mapped = ::mmap(nullptr, sizeof(shared_counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
  }
  errno = errno_before;
  if (mapped == MAP_FAILED) return &nowhere;  // the command then says that no process could count
  auto* const made = static_cast<shared_counts*>(mapped);
  made->processes.fetch_add(1, std::memory_order_relaxed);
  return made;
}

shared_counts& mapped_counts() noexcept {
  if (counts.load(std::memory_order_relaxed) == nullptr) counts.store(map_counts(), std::memory_order_relaxed);
  return *counts.load(std::memory_order_relaxed);
}

[[gnu::constructor(101)]] void count_process() {
  (void)mapped_counts();
}

}  // namespace

void count_offer() noexcept {
  mapped_counts().offers.fetch_add(1, std::memory_order_relaxed);
}

void count_block(std::size_t bytes) noexcept {
  shared_counts& all = mapped_counts();
  all.blocks.fetch_add(1, std::memory_order_relaxed);
  all.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace nearfork::preloaded

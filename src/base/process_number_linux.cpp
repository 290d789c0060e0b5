#include <atomic>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process_number.hpp"

namespace nearfork {
namespace {

/// Every call of a runtime from outside asks for the number, and getpid() is a system call. The number is kept in a
/// page that the kernel clears in each child, no matter how the child was made.
std::atomic<int>* make_kept_number() noexcept {
  void* const page =
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (::madvise(page, sizeof(std::atomic<int>), MADV_WIPEONFORK) == 0) return static_cast<std::atomic<int>*>(page);
  (void)::munmap(page, sizeof(std::atomic<int>));  // a kernel before 4.14
  return nullptr;
}

std::atomic<int>* kept_number() noexcept {
  static std::atomic<int>* const kept = make_kept_number();
  return kept;
}

}  // namespace

own_process::own_process() noexcept : word_(kept_number()), number_(process_number()) {}

int process_number() noexcept {
  std::atomic<int>* const kept = kept_number();
  if (kept == nullptr) return static_cast<int>(::getpid());
  if (const int number = kept->load(std::memory_order_relaxed); number != 0) return number;
  const int number = static_cast<int>(::getpid());
  kept->store(number, std::memory_order_relaxed);
  return number;
}

int thread_number() noexcept {
  return static_cast<int>(::syscall(SYS_gettid));
}

}  // namespace nearfork

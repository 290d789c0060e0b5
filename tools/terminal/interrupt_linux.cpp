#include <signal.h>

#include <atomic>

#include "tools/terminal/interrupt.hpp"

namespace nearfork::tools {
namespace {

std::atomic<bool> noted{false};  // relaxed: nothing else is told by it
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void note(int) {
  noted.store(true, std::memory_order_relaxed);
}

struct sigaction before{};

}  // namespace

interrupt_watch::interrupt_watch() {
  noted.store(false, std::memory_order_relaxed);
  struct sigaction wanted{};
  wanted.sa_handler = note;
  wanted.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGINT, &wanted, nullptr);
}

interrupt_watch::~interrupt_watch() {
  ::sigaction(SIGINT, &before, nullptr);
}

bool interrupt_watch::interrupted() const noexcept {
  return noted.load(std::memory_order_relaxed);
}

}  // namespace nearfork::tools

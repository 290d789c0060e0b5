#include <sys/auxv.h>

#include <atomic>

#include "base/privileged.hpp"

namespace nearfork {
namespace {

std::atomic<int> pretended{0};

}  // namespace

bool is_privileged() noexcept {
  // Relaxed: it orders nothing, and tests change it while no other thread reads it.
  return ::getauxval(AT_SECURE) != 0 || pretended.load(std::memory_order_relaxed) > 0;
}

pretended_privileges::pretended_privileges() noexcept {
  pretended.fetch_add(1, std::memory_order_relaxed);
}
pretended_privileges::~pretended_privileges() {
  pretended.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace nearfork

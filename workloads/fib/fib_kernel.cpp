#include "workloads/fib/fib.hpp"

namespace nearfork::workloads {

/// noinline, so that every call is made: else gcc 12 sees that equal arguments give equal results, and leaves most
/// calls out.
__attribute__((noinline)) std::uint64_t fib_serial(std::uint64_t n) noexcept {
  __asm__ volatile("" : "+r"(n));
  return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

}  // namespace nearfork::workloads

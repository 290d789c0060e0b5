#include "workloads/fib/fib.hpp"

namespace nearfork::workloads {

std::uint64_t fib_serial(std::uint64_t n) noexcept {
  return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

}  // namespace nearfork::workloads

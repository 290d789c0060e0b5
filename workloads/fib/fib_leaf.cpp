// Apart from those who call it, so that all contenders run the same instructions.
#include "workloads/fib/fib.hpp"

namespace nearfork::workloads {

std::uint64_t fib_leaf(std::uint64_t n) {
  return n < 2 ? n : fib_leaf(n - 1) + fib_leaf(n - 2);
}

}  // namespace nearfork::workloads

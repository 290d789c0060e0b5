#include "bench/fib/fib.hpp"

std::uint64_t fib::solve(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  return solve(n - 1) + solve(n - 2);
}

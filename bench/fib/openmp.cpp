#include "bench/fib/fib.hpp"

std::uint64_t fib::solve(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0, b = 0;
#pragma omp task shared(a) firstprivate(n)
  a = solve(n - 1);
  b = solve(n - 2);
#pragma omp taskwait
  return a + b;
}

#include "bench/styles/plain/plain.hpp"

// Without noinline, gcc folds most of the calls into each other.
[[gnu::noinline]] std::uint64_t styles::solve(unsigned n) {
  if (n < 2) return n;
  return solve(n - 1) + solve(n - 2);
}

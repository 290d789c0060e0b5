#include "bench/styles/five/five.hpp"

[[gnu::noinline]] std::uint64_t styles::solve(unsigned n) {
  if (n < 5) return n;
  return solve(n - 1) + solve(n - 2) + solve(n - 3) + solve(n - 4) + solve(n - 5);
}

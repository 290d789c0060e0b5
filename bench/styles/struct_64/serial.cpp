#include "bench/styles/struct_64/struct_64.hpp"

[[gnu::noinline]] std::uint64_t styles::solve(block given, unsigned n) {
  if (n < 2) return given.values[n];
  return solve(given, n - 1) + solve(given, n - 2);
}

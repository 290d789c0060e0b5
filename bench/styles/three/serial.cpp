#include "bench/styles/three/three.hpp"

[[gnu::noinline]] std::uint64_t styles::solve(unsigned n) {
  if (n < 3) return n;
  return solve(n - 1) + solve(n - 2) + solve(n - 3);
}

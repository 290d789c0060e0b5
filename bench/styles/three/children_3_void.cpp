#include <nearfork/nearfork.hpp>

#include "bench/styles/three/three.hpp"

std::uint64_t styles::solve(unsigned n) {
  if (n < 3) return n;
  std::uint64_t a = 0, b = 0, c = 0;
  nearfork::fork_join([&] { a = solve(n - 1); }, [&] { b = solve(n - 2); }, [&] { c = solve(n - 3); });
  return a + b + c;
}

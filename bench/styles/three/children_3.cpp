#include <nearfork/nearfork.hpp>

#include "bench/styles/three/three.hpp"

std::uint64_t styles::solve(unsigned n) {
  if (n < 3) return n;
  const auto [a, b, c] =
      nearfork::fork_join([=] { return solve(n - 1); }, [=] { return solve(n - 2); }, [=] { return solve(n - 3); });
  return a + b + c;
}

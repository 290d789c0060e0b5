#include <nearfork/nearfork.hpp>

#include "bench/styles/plain/plain.hpp"

std::uint64_t styles::solve(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = nearfork::fork_join([&] { return solve(n - 1); }, [&] { return solve(n - 2); });
  return a + b;
}

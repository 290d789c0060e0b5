#include <nearfork/nearfork.hpp>

#include "bench/fib/fib.hpp"

std::uint64_t fib::solve(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  const auto [a, b] = nearfork::fork_join([=] { return solve(n - 1); }, [=] { return solve(n - 2); });
  return a + b;
}

#include <nearfork/nearfork.hpp>

#include "bench/styles/five/five.hpp"

std::uint64_t styles::solve(unsigned n) {
  if (n < 5) return n;
  const auto [a, b, c, d, e] =
      nearfork::fork_join([=] { return solve(n - 1); }, [=] { return solve(n - 2); }, [=] { return solve(n - 3); },
                          [=] { return solve(n - 4); }, [=] { return solve(n - 5); });
  return a + b + c + d + e;
}

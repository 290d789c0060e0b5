#include <nearfork/nearfork.hpp>

#include "bench/styles/member/member.hpp"

std::uint64_t styles::calculation::solve(unsigned n) const {
  if (n < 2) return n * unit;
  const auto [a, b] = nearfork::fork_join([this, n] { return solve(n - 1); }, [this, n] { return solve(n - 2); });
  return a + b;
}

#include "bench/styles/member/member.hpp"

[[gnu::noinline]] std::uint64_t styles::calculation::solve(unsigned n) const {
  if (n < 2) return n * unit;
  return solve(n - 1) + solve(n - 2);
}

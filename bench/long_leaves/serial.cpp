#include "bench/long_leaves/long_leaves.hpp"

std::uint64_t long_leaves::solve(std::uint64_t count) {
  if (count == 1) return leaf(0);
  return solve(count - 1) + leaf(count - 1);
}

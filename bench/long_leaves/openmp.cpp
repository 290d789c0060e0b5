#include "bench/long_leaves/long_leaves.hpp"

std::uint64_t long_leaves::solve(std::uint64_t count) {
  if (count == 1) return leaf(0);
  std::uint64_t last = 0;
#pragma omp task shared(last) firstprivate(count)
  last = leaf(count - 1);
  const std::uint64_t rest = solve(count - 1);
#pragma omp taskwait
  return rest + last;
}

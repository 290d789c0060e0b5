#include <oneapi/tbb/parallel_invoke.h>

#include "bench/long_leaves/long_leaves.hpp"

std::uint64_t long_leaves::solve(std::uint64_t count) {
  if (count == 1) return leaf(0);
  std::uint64_t rest = 0, last = 0;
  tbb::parallel_invoke([&] { rest = solve(count - 1); }, [&] { last = leaf(count - 1); });
  return rest + last;
}

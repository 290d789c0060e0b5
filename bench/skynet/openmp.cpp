#include <array>
#include <numeric>

#include "bench/skynet/skynet.hpp"

std::uint64_t skynet::solve(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  std::array<std::uint64_t, branching> sums;
  const std::uint64_t each = leaves / branching;
  for (std::uint64_t i = 0; i < branching; ++i) {
    std::uint64_t* const here = &sums[i];
#pragma omp task firstprivate(first, i, each, here)
    *here = solve(first + i * each, each);
  }
#pragma omp taskwait
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

#include "bench/skynet/skynet.hpp"

std::uint64_t skynet::solve(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < branching; ++i) sum += solve(first + i * (leaves / branching), leaves / branching);
  return sum;
}

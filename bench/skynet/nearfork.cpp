#include <nearfork/nearfork.hpp>

#include <array>
#include <numeric>

#include "bench/skynet/skynet.hpp"

std::uint64_t skynet::solve(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  std::array<std::uint64_t, branching> sums;
  const std::uint64_t each = leaves / branching;
  nearfork::task_group group;
  for (std::uint64_t i = 0; i < branching; ++i)
    group.spawn([start = first + i * each, each, here = &sums[i]] { *here = solve(start, each); });
  group.sync();
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

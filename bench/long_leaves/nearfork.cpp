#include <nearfork/nearfork.hpp>

#include "bench/long_leaves/long_leaves.hpp"

std::uint64_t long_leaves::solve(std::uint64_t count) {
  if (count == 1) return leaf(0);
  const auto [rest, last] = nearfork::fork_join([=] { return solve(count - 1); }, [=] { return leaf(count - 1); });
  return rest + last;
}

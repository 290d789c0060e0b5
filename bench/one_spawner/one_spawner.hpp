// A worst case of stealing: one task spawns all the others, which are tiny. So every other worker steals each of its
// tasks from one victim.
#pragma once

#include <atomic>
#include <cstdint>

namespace one_spawner {

/// About a hundred nanoseconds of arithmetic.
inline std::uint64_t work(std::uint64_t seed) {
  std::uint64_t x = seed | 1;
  for (int i = 0; i < 40; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

/// Adds work(i) to sums[i % 64] for i < count, a task for each i; each contender defines solve().
void solve(std::uint64_t count, std::atomic<std::uint64_t>* sums);

}  // namespace one_spawner

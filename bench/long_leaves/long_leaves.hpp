// A worst case of split deques: the owner forks its way down to a leaf that takes milliseconds and forks no more. Jobs
// that the owner has not shared by then stay private until its next join.
#pragma once

#include <cstdint>

namespace long_leaves {

/// About a millisecond of arithmetic that no compiler can shorten.
inline std::uint64_t leaf(std::uint64_t seed) {
  std::uint64_t x = seed | 1;
  for (int i = 0; i < 400'000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

/// The sum of leaf(0) .. leaf(count - 1); each contender defines solve(). Each level forks one leaf and goes on to the
/// rest. So the leaves lie in one deque, the oldest the nearest to the root.
[[nodiscard]] std::uint64_t solve(std::uint64_t count);

}  // namespace long_leaves

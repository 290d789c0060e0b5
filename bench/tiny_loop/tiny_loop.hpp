// A parallel loop over bodies of a nanosecond: a multiplication and a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tiny_loop {

using numbers = std::vector<std::uint32_t>;

inline std::uint32_t body(std::size_t i) {
  return static_cast<std::uint32_t>(i * 0x9e37'79b9'7f4a'7c15ULL >> 32);
}

/// Sets out[i] = body(i) for all i; each contender defines solve().
void solve(numbers& out);

}  // namespace tiny_loop

// Skynet: a tree of tasks, ten below each, whose leaves report their number; the root gets the sum. Tests spawn and
// join of wide, flat families.
#pragma once

#include <cstdint>

namespace skynet {

inline constexpr std::uint64_t branching = 10;

/// The sum of first .. first + leaves - 1; `leaves` is a power of ten. Each contender defines solve().
[[nodiscard]] std::uint64_t solve(std::uint64_t first, std::uint64_t leaves);

}  // namespace skynet

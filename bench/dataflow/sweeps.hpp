// What a task with two dependences costs, from its creation to its completion: sweeps over a row of cells, in which
// each task updates one cell in place and reads the cell before it. The tasks of different sweeps can run in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweeps {

inline constexpr std::size_t width = 64;

/// Cell 0 is never updated.
inline std::uint64_t updated(std::uint64_t own, std::uint64_t before) {
  return own * 3 + before;
}

/// Makes `count` sweeps over cells 1 to width; each contender defines solve().
void solve(std::uint64_t count, std::vector<std::uint64_t>& cells);

}  // namespace sweeps

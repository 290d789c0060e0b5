// Counts the ways to place n queens: at every level, a task for each square that is tried.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace nqueens {

inline constexpr unsigned most_queens = 18;

/// The rows placed so far, stored as the squares that they attack in the next row.
struct board {
  std::uint32_t columns = 0;
  std::uint32_t left = 0;  // diagonals
  std::uint32_t right = 0;

  [[nodiscard]] std::uint32_t free_squares(unsigned n) const {
    return ~(columns | left | right) & ((std::uint32_t{1} << n) - 1);
  }
  [[nodiscard]] bool full(unsigned n) const { return columns == (std::uint32_t{1} << n) - 1; }
  [[nodiscard]] board with(std::uint32_t square) const {
    return {columns | square, (left | square) << 1, (right | square) >> 1};
  }
};

/// Takes the lowest square out of `squares`.
inline std::uint32_t take_lowest(std::uint32_t& squares) {
  const std::uint32_t lowest = squares & (~squares + 1);
  squares &= squares - 1;
  return lowest;
}

/// Each contender defines solve().
[[nodiscard]] std::uint64_t solve(unsigned n, board placed);

}  // namespace nqueens

// Convolution with a filter of 5 x 5 factors, again and again. Each iteration computes every inner cell of a grid from
// the 25 cells around it, from one buffer into the other. The border, which is two cells wide, keeps its values.
#pragma once

#include <array>

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

inline constexpr std::size_t conv_radius = 2;
inline constexpr std::size_t conv_width = 2 * conv_radius + 1;

/// The factor of each cell, by row and column of the square: products of binomials, which blur. They sum to 1, so
/// cells stay in their range. BATS names a convolution filter, and neither its width nor its factors.
inline constexpr auto conv_filter = [] {
  constexpr std::array<double, conv_width> binomials{1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};
  std::array<std::array<double, conv_width>, conv_width> made{};
  for (std::size_t row = 0; row < conv_width; ++row)
    for (std::size_t column = 0; column < conv_width; ++column) made[row][column] = binomials[row] * binomials[column];
  return made;
}();

void conv_row(const double* from, double* to, const grid_extent& extent, std::size_t first, std::size_t last) noexcept;

[[nodiscard]] const grid_program& conv_program();

}  // namespace nearfork::workloads

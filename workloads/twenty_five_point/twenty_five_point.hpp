// 25p, a star in three dimensions that reaches four cells in each direction: heat distribution with second derivatives
// of eighth order. The papers name the stencil and no formula.
#pragma once

#include <array>

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

inline constexpr std::size_t star_reach = 4;

/// The second derivative along one axis: factors of the cell itself and of those 1, 2, 3 and 4 away, in both
/// directions.
inline constexpr std::array<double, star_reach + 1> second_derivative{-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315,
                                                                      -1.0 / 560};

/// The derivative's least eigenvalue is above -6.51, so three axes are stable below 2 / (3 * 6.51) = 0.102.
inline constexpr double star_flow = 0.05;

void twenty_five_point_row(const double* from, double* to, const grid_extent& extent, std::size_t first,
                           std::size_t last) noexcept;

[[nodiscard]] const grid_program& twenty_five_point_program();

}  // namespace nearfork::workloads

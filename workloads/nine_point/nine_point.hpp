// 9p, a stencil over a square of nine cells: heat distribution with the nine-point Laplacian, in which edges count four
// times as much as corners. The papers name the stencil and no formula.
#pragma once

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

/// Factor of a corner. An edge has four times this, the cell itself 1 - 20 times this. Up to 1/20 the scheme is stable.
inline constexpr double nine_point_flow = 1.0 / 32;

void nine_point_row(const double* from, double* to, const grid_extent& extent, std::size_t first,
                    std::size_t last) noexcept;

[[nodiscard]] const grid_program& nine_point_program();

}  // namespace nearfork::workloads

// 6p, Jacobi's method in three dimensions: each cell becomes the mean of its six neighbours. The papers name the
// stencil and no formula.
#pragma once

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

void six_point_row(const double* from, double* to, const grid_extent& extent, std::size_t first,
                   std::size_t last) noexcept;

[[nodiscard]] const grid_program& six_point_program();

}  // namespace nearfork::workloads

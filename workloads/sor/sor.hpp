// Successive over-relaxation, red-black and in place: each iteration relaxes all cells of one colour, then all of the
// other. The neighbours of a cell have the other colour, so the cells of one colour do not depend on each other.
#pragma once

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

/// How far a cell moves beyond the mean of its neighbours. Between 1 and 2 the method converges.
inline constexpr double sor_factor = 1.5;

void sor_row(const double* from, double* to, const grid_extent& extent, std::size_t first, std::size_t last) noexcept;

[[nodiscard]] const grid_program& sor_program();

}  // namespace nearfork::workloads

// Five-point heat distribution. Each iteration computes every inner cell of a grid from itself and its four neighbours,
// from one buffer into the other. The border keeps its heat.
#pragma once

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

/// Each cell moves towards the mean of its neighbours by four times this. Below 1/4 the scheme is stable.
inline constexpr double heat_flow = 0.2;

void heat_row(const double* from, double* to, const grid_extent& extent, std::size_t first, std::size_t last) noexcept;

[[nodiscard]] const grid_program& heat_program();

}  // namespace nearfork::workloads

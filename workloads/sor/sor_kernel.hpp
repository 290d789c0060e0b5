#pragma once

#include <cstddef>

namespace nearfork::workloads {

/// How far a cell is moved beyond the mean of its neighbours; between 1 and 2 the method converges.
inline constexpr double sor_factor = 1.5;

/// The cells of one colour: those whose row and column sum to an even (0) or odd (1) number.
struct sor_step {
  double* grid;
  std::size_t columns;
  std::size_t colour;
};

/// Relaxes the colour's cells of rows [first, last) but for their first and last cell.
void sor_rows(const sor_step& step, std::size_t first, std::size_t last) noexcept;

}  // namespace nearfork::workloads

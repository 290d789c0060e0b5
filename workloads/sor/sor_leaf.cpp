// Apart from those who call it, so that all contenders run the same instructions.
#include "workloads/sor/sor.hpp"

namespace nearfork::workloads {

void sor_leaf(double* grid, std::size_t columns, row_range rows, unsigned colour) {
  constexpr double omega = 1.5;
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    const double* const up = grid + (row - 1) * columns;
    double* const here = grid + row * columns;
    const double* const down = grid + (row + 1) * columns;
    const std::size_t first = (row + 1) % 2 == colour ? 1 : 2;
    for (std::size_t j = first; j + 1 < columns; j += 2)
      here[j] += omega * 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]);
  }
}

}  // namespace nearfork::workloads

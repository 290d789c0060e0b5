// Apart from those who call it, so that all contenders run the same instructions.
#include "workloads/heat/heat.hpp"

namespace nearfork::workloads {

void heat_leaf(const double* from, double* to, std::size_t columns, row_range rows) {
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    const double* const up = from + (row - 1) * columns;
    const double* const here = from + row * columns;
    const double* const down = from + (row + 1) * columns;
    double* const out = to + row * columns;
    for (std::size_t j = 1; j + 1 < columns; ++j)
      out[j] = here[j] + 0.1 * (up[j] + down[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]);
  }
}

}  // namespace nearfork::workloads

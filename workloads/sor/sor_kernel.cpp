#include "workloads/sor/sor.hpp"

namespace nearfork::workloads {

void sor_rows(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = sweep.extent.columns;
  for (std::size_t row = first; row < last; ++row) {
    double* const here = sweep.to + row * width;
    const double* const above = here - width;
    const double* const below = here + width;
    for (std::size_t x = 1 + (row + 1 + sweep.colour) % 2; x + 1 < width; x += 2)
      here[x] += sor_factor * (0.25 * (above[x] + below[x] + here[x - 1] + here[x + 1]) - here[x]);
  }
}

}  // namespace nearfork::workloads

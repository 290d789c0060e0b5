#include "workloads/sor/sor_kernel.hpp"

namespace nearfork::workloads {

void sor_rows(const sor_step& step, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = step.columns;
  for (std::size_t row = first; row < last; ++row) {
    double* const here = step.grid + row * width;
    const double* const above = here - width;
    const double* const below = here + width;
    for (std::size_t x = 1 + (row + 1 + step.colour) % 2; x + 1 < width; x += 2)
      here[x] += sor_factor * (0.25 * (above[x] + below[x] + here[x - 1] + here[x + 1]) - here[x]);
  }
}

}  // namespace nearfork::workloads

#include "workloads/heat/heat_kernel.hpp"

namespace nearfork::workloads {

void heat_rows(const heat_step& step, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = step.columns;
  for (std::size_t row = first; row < last; ++row) {
    const double* const here = step.from + row * width;
    const double* const above = here - width;
    const double* const below = here + width;
    double* __restrict const to = step.to + row * width;
    for (std::size_t x = 1; x + 1 < width; ++x)
      to[x] = here[x] + heat_flow * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
  }
}

}  // namespace nearfork::workloads

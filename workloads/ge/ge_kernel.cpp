#include <algorithm>

#include "workloads/ge/ge.hpp"

namespace nearfork::workloads {

void ge_rows(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = sweep.extent.columns;
  const std::size_t pivot = sweep.iteration;
  const double* const above = sweep.to + pivot * width;
  for (std::size_t row = std::max(first, pivot + 1); row < last; ++row) {
    double* __restrict const here = sweep.to + row * width;
    here[pivot] /= above[pivot];
    const double factor = here[pivot];
    for (std::size_t x = pivot + 1; x < width; ++x) here[x] -= factor * above[x];
  }
}

}  // namespace nearfork::workloads

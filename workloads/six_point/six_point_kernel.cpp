#include "workloads/six_point/six_point.hpp"

namespace nearfork::workloads {

void six_point_planes(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = sweep.extent.columns;
  const std::size_t plane_cells = sweep.extent.slab_cells();
  for (std::size_t plane = first; plane < last; ++plane)
    for (std::size_t row = 1; row + 1 < sweep.extent.rows; ++row) {
      const std::size_t start = plane * plane_cells + row * width;
      const double* const here = sweep.from + start;
      const double* const before = here - plane_cells;
      const double* const behind = here + plane_cells;
      const double* const above = here - width;
      const double* const below = here + width;
      double* __restrict const to = sweep.to + start;
      for (std::size_t x = 1; x + 1 < width; ++x)
        to[x] = (1.0 / 6) * (before[x] + behind[x] + above[x] + below[x] + here[x - 1] + here[x + 1]);
    }
}

}  // namespace nearfork::workloads

#include "workloads/six_point/six_point.hpp"

namespace nearfork::workloads {

void six_point_row(const double* from, double* __restrict to, const grid_extent& extent, std::size_t first,
                   std::size_t last) noexcept {
  const double* const before = from - extent.slab_cells();
  const double* const behind = from + extent.slab_cells();
  const double* const above = from - extent.columns;
  const double* const below = from + extent.columns;
  for (std::size_t x = first; x < last; ++x)
    to[x] = (1.0 / 6) * (before[x] + behind[x] + above[x] + below[x] + from[x - 1] + from[x + 1]);
}

}  // namespace nearfork::workloads

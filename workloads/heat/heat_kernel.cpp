#include "workloads/heat/heat.hpp"

namespace nearfork::workloads {

void heat_row(const double* from, double* __restrict to, const grid_extent& extent, std::size_t first,
              std::size_t last) noexcept {
  const double* const above = from - extent.columns;
  const double* const below = from + extent.columns;
  for (std::size_t x = first; x < last; ++x)
    to[x] = from[x] + heat_flow * (above[x] + below[x] + from[x - 1] + from[x + 1] - 4 * from[x]);
}

}  // namespace nearfork::workloads

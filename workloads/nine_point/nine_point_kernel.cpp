#include "workloads/nine_point/nine_point.hpp"

namespace nearfork::workloads {

void nine_point_row(const double* from, double* __restrict to, const grid_extent& extent, std::size_t first,
                    std::size_t last) noexcept {
  const double* const above = from - extent.columns;
  const double* const below = from + extent.columns;
  for (std::size_t x = first; x < last; ++x) {
    const double edges = above[x] + below[x] + from[x - 1] + from[x + 1];
    const double corners = above[x - 1] + above[x + 1] + below[x - 1] + below[x + 1];
    to[x] = from[x] + nine_point_flow * (4 * edges + corners - 20 * from[x]);
  }
}

}  // namespace nearfork::workloads

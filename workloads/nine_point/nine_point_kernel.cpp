#include "workloads/nine_point/nine_point.hpp"

namespace nearfork::workloads {

void nine_point_rows(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = sweep.extent.columns;
  for (std::size_t row = first; row < last; ++row) {
    const double* const here = sweep.from + row * width;
    const double* const above = here - width;
    const double* const below = here + width;
    double* __restrict const to = sweep.to + row * width;
    for (std::size_t x = 1; x + 1 < width; ++x) {
      const double edges = above[x] + below[x] + here[x - 1] + here[x + 1];
      const double corners = above[x - 1] + above[x + 1] + below[x - 1] + below[x + 1];
      to[x] = here[x] + nine_point_flow * (4 * edges + corners - 20 * here[x]);
    }
  }
}

}  // namespace nearfork::workloads

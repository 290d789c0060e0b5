#include "workloads/sor/sor.hpp"

namespace nearfork::workloads {

/// Reads all rows through `to`, so that the compiler knows that the rows above and below do not overlap it.
void sor_row(const double*, double* to, const grid_extent& extent, std::size_t first, std::size_t last) noexcept {
  const double* const above = to - extent.columns;
  const double* const below = to + extent.columns;
  for (std::size_t x = first; x < last; x += 2)
    to[x] += sor_factor * (0.25 * (above[x] + below[x] + to[x - 1] + to[x + 1]) - to[x]);
}

}  // namespace nearfork::workloads

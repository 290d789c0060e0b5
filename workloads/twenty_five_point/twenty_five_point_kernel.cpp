#include "workloads/twenty_five_point/twenty_five_point.hpp"

namespace nearfork::workloads {
namespace {

/// The weighted sum of a cell's six neighbours at that distance.
template <std::size_t Far>
double arms(const double* cell, std::size_t plane, std::size_t row) noexcept {
  return second_derivative[Far] * (*(cell - Far * plane) + cell[Far * plane] + *(cell - Far * row) + cell[Far * row] +
                                   *(cell - Far) + cell[Far]);
}

}  // namespace

void twenty_five_point_row(const double* from, double* __restrict to, const grid_extent& extent, std::size_t first,
                           std::size_t last) noexcept {
  const std::size_t plane = extent.slab_cells();
  for (std::size_t x = first; x < last; ++x) {
    const double* const cell = from + x;
    const double around = arms<1>(cell, plane, extent.columns) + arms<2>(cell, plane, extent.columns) +
                          arms<3>(cell, plane, extent.columns) + arms<4>(cell, plane, extent.columns);
    to[x] = *cell + star_flow * (3 * second_derivative[0] * *cell + around);
  }
}

}  // namespace nearfork::workloads

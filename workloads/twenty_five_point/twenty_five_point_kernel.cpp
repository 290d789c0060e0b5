#include "workloads/twenty_five_point/twenty_five_point.hpp"

namespace nearfork::workloads {
namespace {

/// The six cells so far away, by a distance that is known when this is compiled.
template <std::size_t Far>
double star(const double* cell, std::size_t plane_cells, std::size_t width) noexcept {
  return second_derivative[Far] * (*(cell - Far * plane_cells) + cell[Far * plane_cells] + *(cell - Far * width) +
                                   cell[Far * width] + *(cell - Far) + cell[Far]);
}

}  // namespace

void twenty_five_point_planes(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = sweep.extent.columns;
  const std::size_t plane_cells = sweep.extent.slab_cells();
  for (std::size_t plane = first; plane < last; ++plane)
    for (std::size_t row = star_reach; row + star_reach < sweep.extent.rows; ++row) {
      const double* const here = sweep.from + plane * plane_cells + row * width;
      double* __restrict const to = sweep.to + plane * plane_cells + row * width;
      for (std::size_t x = star_reach; x + star_reach < width; ++x) {
        const double* const cell = here + x;
        const double around = star<1>(cell, plane_cells, width) + star<2>(cell, plane_cells, width) +
                              star<3>(cell, plane_cells, width) + star<4>(cell, plane_cells, width);
        to[x] = *cell + star_flow * (3 * second_derivative[0] * *cell + around);
      }
    }
}

}  // namespace nearfork::workloads

#include "workloads/twenty_five_point/twenty_five_point.hpp"

namespace nearfork::workloads {
namespace {

/// What a cell's six neighbours at that distance weigh together.
template <std::size_t Far>
double arms(const double* cell, std::size_t plane_cells, std::size_t width) noexcept {
  return second_derivative[Far] * (*(cell - Far * plane_cells) + cell[Far * plane_cells] + *(cell - Far * width) +
                                   cell[Far * width] + *(cell - Far) + cell[Far]);
}

/// Not inlined: gcc 12 heeds __restrict on parameters alone, and otherwise gives up on so many rows instead of checking
/// whether they overlap.
[[gnu::noinline]] void star_row(const double* here, double* __restrict to, std::size_t plane_cells,
                                std::size_t width) noexcept {
  for (std::size_t x = star_reach; x + star_reach < width; ++x) {
    const double* const cell = here + x;
    const double around = arms<1>(cell, plane_cells, width) + arms<2>(cell, plane_cells, width) +
                          arms<3>(cell, plane_cells, width) + arms<4>(cell, plane_cells, width);
    to[x] = *cell + star_flow * (3 * second_derivative[0] * *cell + around);
  }
}

}  // namespace

void twenty_five_point_planes(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = sweep.extent.columns;
  const std::size_t plane_cells = sweep.extent.slab_cells();
  for (std::size_t plane = first; plane < last; ++plane)
    for (std::size_t row = star_reach; row + star_reach < sweep.extent.rows; ++row) {
      const std::size_t start = plane * plane_cells + row * width;
      star_row(sweep.from + start, sweep.to + start, plane_cells, width);
    }
}

}  // namespace nearfork::workloads

// A stencil: each cell's next value is a formula of the cells up to `radius` away. The border, which has that width,
// keeps its values. A grid program is made of a type that defines just this.
#pragma once

#include <concepts>
#include <string_view>
#include <utility>

#include "workloads/grid/grid_hints.hpp"
#include "workloads/grid/grid_program.hpp"
#include "workloads/grid/grid_sizes.hpp"
#include "workloads/grid/neighbourhood.hpp"
#include "workloads/numbers_by_index.hpp"

namespace nearfork::workloads {

/// Computes columns [first, last) of a row; in red-black order every second one. from and to point to the row's cells;
/// in place they are equal. Each kernel is in a separate file, so that all contenders run the same code. With two
/// buffers, `to` is __restrict in these files, which gcc heeds only on parameters. Without it, gcc checks for each row
/// whether others overlap, and does not vectorise if there are as many rows as in 25p (28 ms instead of 17 for the
/// small size).
using row_kernel = void (*)(const double* from, double* to, const grid_extent& extent, std::size_t first,
                            std::size_t last) noexcept;

template <class Stencil>
concept stencil = requires(const neighbourhood& around) {
  { Stencil::name } -> std::convertible_to<std::string_view>;
  { Stencil::description } -> std::convertible_to<std::string_view>;
  { Stencil::dimensions } -> std::convertible_to<unsigned>;  // 2 or 3
  { Stencil::radius } -> std::convertible_to<std::size_t>;
  { Stencil::order } -> std::convertible_to<grid_order>;  // two_buffers or red_black
  { Stencil::default_iterations } -> std::convertible_to<std::uint64_t>;
  { Stencil::compute_row } -> std::convertible_to<row_kernel>;
  { Stencil::next(around) } -> std::same_as<double>;  // the formula that compute_row must agree with
};

namespace detail {

/// In [0, 100], like temperatures.
inline void fill_stencil(const grid_extent& extent, std::uint64_t seed, slab_range slabs, double* cells) {
  const numbers_by_index numbers(seed);
  for (std::size_t at = slabs.first * extent.slab_cells(); at < slabs.last * extent.slab_cells(); ++at)
    cells[at] = numbers.between(at, 0, 100);
}

template <stencil Stencil>
slab_range inner_slabs(const grid_extent& extent, std::uint64_t) {
  return {Stencil::radius, extent.slabs - Stencil::radius};
}

template <stencil Stencil>
constexpr std::size_t row_border = Stencil::dimensions == 3 ? Stencil::radius : 0;

template <stencil Stencil>
void compute_slabs(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  constexpr std::size_t border = Stencil::radius;
  const grid_extent& extent = sweep.extent;
  hint_slabs(sweep, first, last, border);
  for (std::size_t slab = first; slab < last; ++slab)
    for (std::size_t row = row_border<Stencil>; row + row_border<Stencil> < extent.rows; ++row) {
      const std::size_t at = slab * extent.slab_cells() + row * extent.columns;
      std::size_t column = border;
      if (Stencil::order == grid_order::red_black) column += (slab + row + column + sweep.colour) % 2;
      Stencil::compute_row(sweep.from + at, sweep.to + at, extent, column, extent.columns - border);
    }
}

/// Calls each(slab, row, column) for all cells except the border's.
template <stencil Stencil, class Each>
void for_inner_cells(const grid_extent& extent, const Each& each) {
  constexpr std::size_t border = Stencil::radius;
  for (std::size_t slab = border; slab + border < extent.slabs; ++slab)
    for (std::size_t row = row_border<Stencil>; row + row_border<Stencil> < extent.rows; ++row)
      for (std::size_t column = border; column + border < extent.columns; ++column) each(slab, row, column);
}

template <stencil Stencil>
std::vector<double> stencil_answer(const grid_extent& extent, std::uint64_t iterations, std::vector<double> now) {
  constexpr bool red_black = Stencil::order == grid_order::red_black;
  std::vector<double> other;
  if (!red_black) other = now;
  for (std::uint64_t sweep = 0; sweep < (red_black ? 2 * iterations : iterations); ++sweep) {
    std::vector<double>& next = red_black ? now : other;
    for_inner_cells<Stencil>(extent, [&](std::size_t slab, std::size_t row, std::size_t column) {
      if (red_black && (slab + row + column) % 2 != sweep % 2) return;
      const std::size_t at = slab * extent.slab_cells() + row * extent.columns + column;
      next[at] = Stencil::next(neighbourhood(&now[at], extent));
    });
    if (!red_black) now.swap(other);
  }
  return now;
}

}  // namespace detail

template <stencil Stencil>
const grid_program& stencil_program() {
  static_assert(Stencil::dimensions == 2 || Stencil::dimensions == 3);
  static_assert(Stencil::order != grid_order::in_place, "cells of one sweep must not depend on each other");
  const auto sizes = Stencil::dimensions == 2 ? matrix_sizes : cuboid_sizes;
  constexpr unsigned grids = Stencil::order == grid_order::two_buffers ? 2 : 1;
  static const grid_program program{.name = Stencil::name,
                                    .description = Stencil::description,
                                    .order = Stencil::order,
                                    .sizes = sizes(Stencil::radius, Stencil::default_iterations, grids),
                                    .compute = detail::compute_slabs<Stencil>,
                                    .changes = detail::inner_slabs<Stencil>,
                                    .fill = detail::fill_stencil,
                                    .answer = detail::stencil_answer<Stencil>};
  return program;
}

}  // namespace nearfork::workloads

// What the kernel of a grid program gets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearfork::workloads {

/// How cells lie in memory: slab after slab. Tasks share out slabs. A slab is a row of a matrix or a plane of a cuboid.
struct grid_extent {
  std::size_t slabs;
  std::size_t rows;  // per slab: 1 in a matrix
  std::size_t columns;

  [[nodiscard]] constexpr std::size_t slab_cells() const noexcept { return rows * columns; }
  [[nodiscard]] constexpr std::size_t cells() const noexcept { return slabs * slab_cells(); }
};

/// Slabs [first, last).
struct slab_range {
  std::size_t first;
  std::size_t last;
};

/// One pass over the slabs. Its cells can be computed in any order.
struct grid_sweep {
  const double* from;
  double* to;  // in place: equal to from
  grid_extent extent;
  std::uint64_t iteration = 0;
  unsigned colour = 0;  // red-black order: the cells whose coordinates sum to an even (0) or odd (1) number
};

/// Computes slabs [first, last) of a sweep.
using grid_kernel = void (*)(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept;

}  // namespace nearfork::workloads

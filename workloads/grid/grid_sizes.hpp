#pragma once

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

/// Sizes of a stencil over a matrix or a cuboid that reads cells up to `radius` away. The papers' sizes are: a matrix
/// of 512 columns in A-CAB's comparison, of 1024 in LAWS'; planes of 64 x 64 in a cuboid; 200 iterations. LAWS does not
/// say the size of 9p, so 9p has heat's. "64mib" and "1gib" are the bytes of all its `grids` together.
[[nodiscard]] size_table<grid_size> matrix_sizes(std::size_t radius, std::uint64_t default_iterations, unsigned grids);
[[nodiscard]] size_table<grid_size> cuboid_sizes(std::size_t radius, std::uint64_t default_iterations, unsigned grids);

}  // namespace nearfork::workloads

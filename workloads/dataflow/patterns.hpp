// The patterns of the programs of Drebes et al., "Scalable Task Parallelism for NUMA" (PACT 2016), table 3 and figure
// 4, and of a tiled Cholesky factorisation. Making one takes time and memory in proportion to its tasks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "workloads/dataflow/flow_pattern.hpp"

namespace nearfork::workloads {

/// To the neighbour with the smaller or the larger coordinate.
enum class side : std::uint8_t { lower, upper };
inline constexpr side sides[] = {side::lower, side::upper};
[[nodiscard]] constexpr side opposite(side of) noexcept {
  return of == side::lower ? side::upper : side::lower;
}

/// flow_value::part of the face across a dimension that is for the neighbour on a side.
[[nodiscard]] constexpr std::uint32_t face_part(std::uint32_t dimension, side to) noexcept {
  return 1 + 2 * dimension + static_cast<std::uint32_t>(to);
}
/// The element with the lowest coordinates.
inline constexpr std::uint32_t corner_part = 7;

/// Doubles, divided into equal blocks. A dimension that a program does not have has one block of one element.
struct block_grid {
  std::array<std::uint32_t, 3> blocks{1, 1, 1};
  std::array<std::uint32_t, 3> shape{1, 1, 1};  // of a block, in elements

  [[nodiscard]] std::uint32_t size() const noexcept { return blocks[0] * blocks[1] * blocks[2]; }
  [[nodiscard]] std::uint64_t block_elements() const noexcept { return std::uint64_t{shape[0]} * shape[1] * shape[2]; }
  [[nodiscard]] std::uint32_t dimensions() const noexcept;
  /// The block of these coordinates, and back. The first coordinate runs fastest.
  [[nodiscard]] std::uint32_t number(std::array<std::uint32_t, 3> at) const noexcept {
    return at[0] + blocks[0] * (at[1] + blocks[1] * at[2]);
  }
  [[nodiscard]] std::array<std::uint32_t, 3> place(std::uint32_t block) const noexcept {
    return {block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]};
  }
  [[nodiscard]] std::optional<std::uint32_t> neighbour(std::uint32_t block, std::uint32_t dimension,
                                                       side to) const noexcept;
  /// Elements of the face of a block across a dimension.
  [[nodiscard]] std::uint64_t face_elements(std::uint32_t dimension) const noexcept {
    return block_elements() / shape[dimension];
  }
};

/// Each element becomes the mean of itself and its neighbours in each dimension, of the step before.
[[nodiscard]] flow_pattern jacobi_pattern(const block_grid& grid, std::uint32_t steps);
/// The same, with what this step has made of elements with smaller coordinates.
[[nodiscard]] flow_pattern seidel_pattern(const block_grid& grid, std::uint32_t steps);
/// A Gaussian blur over 3 x 3 elements, then the Roberts cross operator. Two dimensions.
[[nodiscard]] flow_pattern blur_roberts_pattern(const block_grid& grid);
/// A bitonic sorting network of blocks of 64-bit integers: each block is sorted, then pairs are merged and divided. A
/// power of two of blocks.
[[nodiscard]] flow_pattern bitonic_pattern(std::uint32_t blocks, std::uint32_t block_elements);
struct kmeans_size {
  std::uint32_t blocks = 1;
  std::uint32_t block_points = 1;
  std::uint32_t dimensions = 10;  // of single precision
  std::uint32_t clusters = 11;
  std::uint32_t iterations = 10;
};
/// flow_value::part of the centres, which lie beside sums.
inline constexpr std::uint32_t centres_part = 8;
/// Sums of eight are added up by one task.
[[nodiscard]] flow_pattern kmeans_pattern(const kmeans_size& size);
/// Of `tiles` x `tiles` tiles of doubles, the lower half.
[[nodiscard]] flow_pattern cholesky_pattern(std::uint32_t tiles, std::uint32_t tile_rows);
/// The table of a local alignment, of 32-bit scores: each block hands its last row, its last column and its last
/// element to the blocks below, at the right, and below at the right.
[[nodiscard]] flow_pattern smith_waterman_pattern(const block_grid& grid);
/// LU factorisation without pivots, of all tiles, row by row. In step k + 1 tiles of row k are solved by the lower
/// triangle of tile (k, k), those of column k by the upper one; the others lose the product of their tiles of column k
/// and of row k.
[[nodiscard]] flow_pattern lu_pattern(std::uint32_t tiles, std::uint32_t tile_rows);
/// The block of tile (row, column) of a Cholesky factorisation, row >= column.
[[nodiscard]] constexpr std::uint32_t tile_number(std::uint32_t row, std::uint32_t column) noexcept {
  return row * (row + 1) / 2 + column;
}

}  // namespace nearfork::workloads

// Sizes and data of the programs over grids of doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workloads/dataflow/patterns.hpp"

namespace nearfork::workloads {

struct grid_blocks_size {
  std::uint64_t x_blocks = 1, y_blocks = 1, z_blocks = 1;
  std::uint64_t x = 1, y = 1, z = 1;  // elements of a block
  std::uint64_t iterations = 1;

  [[nodiscard]] block_grid grid() const noexcept;
};

/// All elements in the order of their coordinates, the first coordinate fastest, from those of the blocks.
class whole_grid {
 public:
  explicit whole_grid(const block_grid& grid);

  [[nodiscard]] std::array<std::size_t, 3> extent() const noexcept { return extent_; }
  [[nodiscard]] std::size_t size() const noexcept { return extent_[0] * extent_[1] * extent_[2]; }
  /// The element of the whole at which a row of a block begins.
  [[nodiscard]] std::size_t row_at(std::uint32_t block, std::size_t y, std::size_t z) const noexcept;

  void put(std::uint32_t block, const double* from, std::vector<double>& all) const;
  void get(std::uint32_t block, const std::vector<double>& all, double* to) const;
  /// "" if the blocks hold these elements.
  [[nodiscard]] std::string difference_of(std::span<const std::byte* const> blocks, const std::vector<double>& right,
                                          double tolerance) const;

 private:
  block_grid grid_;
  std::array<std::size_t, 3> extent_;
};

/// Numbers from 0 to 1, from the seed and the block's number.
void fill_with_numbers(std::uint64_t seed, std::uint32_t block, std::span<double> elements);

}  // namespace nearfork::workloads

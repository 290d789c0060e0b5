// The matrices of tiled factorisations, and how their answers are checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/flow_programs/flow_workload.hpp"

namespace nearfork::workloads {

struct tile_size {
  std::uint64_t tiles = 1;  // in a row
  std::uint64_t rows = 1;   // of a tile

  [[nodiscard]] std::size_t extent() const noexcept { return tiles * rows; }
};

[[nodiscard]] const size_table<tile_size>& tile_sizes();

/// Numbers from -1 to 1 that depend on the row and the column alone, so no matrix need be kept; on the diagonal the
/// number of rows is added, so that it dominates.
class made_up_matrix {
 public:
  made_up_matrix(std::size_t extent, std::uint64_t seed) : extent_(extent), seed_(seed) {}
  [[nodiscard]] double at(std::size_t row, std::size_t column) const noexcept;
  /// The same, mirrored at the diagonal.
  [[nodiscard]] double symmetric(std::size_t row, std::size_t column) const noexcept {
    return row >= column ? at(row, column) : at(column, row);
  }

 private:
  std::size_t extent_;
  std::uint64_t seed_;
};

/// A vector to multiply with: numbers from 1 to 2.
[[nodiscard]] std::vector<double> probe_vector(std::size_t extent);

/// Compares the product of the factors with that of the matrix, row by row. Sums are at most 4 * extent, so rounding
/// errors are far below the tolerance.
[[nodiscard]] std::string product_difference(const std::vector<double>& found, const std::vector<double>& right);

}  // namespace nearfork::workloads

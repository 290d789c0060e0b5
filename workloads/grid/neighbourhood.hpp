#pragma once

#include <cstddef>

#include "workloads/grid/grid_sweep.hpp"

namespace nearfork::workloads {

/// A cell and those around it, by distance. For formulas that need not be fast.
class neighbourhood {
 public:
  neighbourhood(const double* cell, const grid_extent& extent) noexcept
      : cell_(cell),
        slab_(static_cast<std::ptrdiff_t>(extent.slab_cells())),
        row_(static_cast<std::ptrdiff_t>(extent.columns)) {}

  /// In a matrix.
  [[nodiscard]] double operator()(std::ptrdiff_t rows, std::ptrdiff_t columns) const noexcept {
    return cell_[rows * slab_ + columns];
  }
  /// In a cuboid.
  [[nodiscard]] double operator()(std::ptrdiff_t planes, std::ptrdiff_t rows, std::ptrdiff_t columns) const noexcept {
    return cell_[planes * slab_ + rows * row_ + columns];
  }

 private:
  const double* cell_;
  std::ptrdiff_t slab_;
  std::ptrdiff_t row_;
};

}  // namespace nearfork::workloads

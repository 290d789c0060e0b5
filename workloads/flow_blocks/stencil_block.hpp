// One block of a stencil over one, two or three dimensions: each element becomes the mean of itself and its neighbours
// in each dimension. What lies outside the grid is 0. In a file of its own, so that all contenders run the same code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace nearfork::workloads {

/// The neighbours of a block across one of its faces. Across the first dimension these are single elements, across the
/// others rows.
struct stencil_face {
  const double* first = nullptr;  // nullptr: outside the grid
  std::size_t stride = 0;         // to the next element or row
};

struct stencil_block {
  std::array<std::size_t, 3> shape;
  const double* from;
  double* to;                                        // Seidel: may be `from`
  std::array<std::array<stencil_face, 2>, 3> faces;  // by dimension, lower and upper
};

/// Reads `from` alone. `dimensions`: 1 to 3.
void jacobi_block(const stencil_block& block, unsigned dimensions);
/// Reads what it has made of the elements with smaller coordinates.
void seidel_block(const stencil_block& block, unsigned dimensions);

}  // namespace nearfork::workloads

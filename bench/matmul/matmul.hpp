// Matrix product by divide and conquer down to leaves of 32 x 32, without further cache blocking. The longest side is
// halved. Halves of rows and columns may go in parallel, halves of the inner side may not.
#pragma once

#include <cstddef>

namespace matmul {

inline constexpr std::size_t leaf = 32;

/// Part of a row-major matrix.
struct block {
  double* at;
  std::size_t stride;
  [[nodiscard]] block down(std::size_t rows) const { return {at + rows * stride, stride}; }
  [[nodiscard]] block right(std::size_t columns) const { return {at + columns, stride}; }
};

/// c (rows x columns) += a (rows x inner) * b (inner x columns)
struct product {
  block a, b, c;
  std::size_t rows, inner, columns;

  [[nodiscard]] bool is_leaf() const { return rows <= leaf && inner <= leaf && columns <= leaf; }
  [[nodiscard]] bool splits_inner() const { return inner > rows && inner > columns; }
};
struct two_products {
  product first, second;
};
inline two_products halve(const product& p) {
  two_products two{p, p};
  if (p.splits_inner()) {
    two.first.inner = p.inner / 2;
    two.second = {p.a.right(p.inner / 2), p.b.down(p.inner / 2), p.c, p.rows, p.inner - p.inner / 2, p.columns};
  } else if (p.rows >= p.columns) {
    two.first.rows = p.rows / 2;
    two.second = {p.a.down(p.rows / 2), p.b, p.c.down(p.rows / 2), p.rows - p.rows / 2, p.inner, p.columns};
  } else {
    two.first.columns = p.columns / 2;
    two.second = {p.a, p.b.right(p.columns / 2), p.c.right(p.columns / 2), p.rows, p.inner, p.columns - p.columns / 2};
  }
  return two;
}
inline void multiply_leaf(const product& p) {
  for (std::size_t i = 0; i < p.rows; ++i)
    for (std::size_t k = 0; k < p.inner; ++k) {
      const double factor = p.a.at[i * p.a.stride + k];
      const double* const from = p.b.at + k * p.b.stride;
      double* const to = p.c.at + i * p.c.stride;
      for (std::size_t j = 0; j < p.columns; ++j) to[j] += factor * from[j];
    }
}

/// Each contender defines solve().
void solve(const product& p);

}  // namespace matmul

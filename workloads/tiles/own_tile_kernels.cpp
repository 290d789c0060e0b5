#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/tiles/tile_kernels.hpp"

namespace nearfork::workloads {
namespace {

/// Row -= a b, four rows of b at once, so that the row is loaded and stored once for eight operations.
void subtract_rows(const double* a, std::size_t step, std::size_t count, const double* b, std::size_t stride,
                   double* __restrict row, std::size_t columns) noexcept {
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const double a0 = a[k * step], a1 = a[(k + 1) * step], a2 = a[(k + 2) * step], a3 = a[(k + 3) * step];
    const double* const b0 = b + k * stride;
    const double* const b1 = b0 + stride;
    const double* const b2 = b1 + stride;
    const double* const b3 = b2 + stride;
    for (std::size_t j = 0; j < columns; ++j) row[j] -= a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
  }
  for (; k < count; ++k)
    for (std::size_t j = 0; j < columns; ++j) row[j] -= a[k * step] * b[k * stride + j];
}

void subtract_product(const double* a, const double* b, double* c, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) subtract_rows(a + i * rows, 1, rows, b, rows, c + i * rows, rows);
}

std::vector<double> transposed(const double* of, std::size_t rows) {
  std::vector<double> made(rows * rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) made[j * rows + i] = of[i * rows + j];
  return made;
}

void subtract_transposed_product(const double* a, const double* b, double* c, std::size_t rows) {
  subtract_product(a, transposed(b, rows).data(), c, rows);
}

void solve_right_upper(const double* u, double* a, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    double* const x = a + i * rows;
    for (std::size_t k = 0; k < rows; ++k) {
      x[k] /= u[k * rows + k];
      for (std::size_t j = k + 1; j < rows; ++j) x[j] -= x[k] * u[k * rows + j];
    }
  }
}

void solve_right_transposed(const double* l, double* a, std::size_t rows) {
  solve_right_upper(transposed(l, rows).data(), a, rows);
}

void solve_left_unit(const double* l, double* a, std::size_t rows) {
  for (std::size_t i = 1; i < rows; ++i) subtract_rows(l + i * rows, 1, i, a, rows, a + i * rows, rows);
}

}  // namespace

const tile_kernels& own_tile_kernels() {
  static constexpr tile_kernels kernels{.name = "own kernels",
                                        .subtract_transposed_product = subtract_transposed_product,
                                        .subtract_product = subtract_product,
                                        .solve_right_transposed = solve_right_transposed,
                                        .solve_left_unit = solve_left_unit,
                                        .solve_right_upper = solve_right_upper};
  return kernels;
}

const tile_kernels& best_tile_kernels() {
  static const tile_kernels& best = openblas_tile_kernels() != nullptr ? *openblas_tile_kernels() : own_tile_kernels();
  return best;
}

/// Each row from the rows above.
void factor_symmetric(double* a, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    double* const row = a + i * rows;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = a + j * rows;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = i == j ? std::sqrt(sum) : sum / other[j];
    }
    std::fill(row + i + 1, row + rows, 0.0);
  }
}

void factor_general(double* a, std::size_t rows) {
  for (std::size_t i = 1; i < rows; ++i) {
    double* const row = a + i * rows;
    for (std::size_t k = 0; k < i; ++k) {
      row[k] /= a[k * rows + k];
      for (std::size_t j = k + 1; j < rows; ++j) row[j] -= row[k] * a[k * rows + j];
    }
  }
}

}  // namespace nearfork::workloads

// Linear algebra on square tiles of doubles, row by row in memory. By OpenBLAS if it is installed, on the calling
// thread alone; else by kernels of this folder.
#pragma once

#include <cstddef>
#include <string_view>

namespace nearfork::workloads {

struct tile_kernels {
  std::string_view name;
  /// c -= a b^T
  void (*subtract_transposed_product)(const double* a, const double* b, double* c, std::size_t rows);
  /// c -= a b
  void (*subtract_product)(const double* a, const double* b, double* c, std::size_t rows);
  /// a = a (l^T)^-1, for a lower triangle l
  void (*solve_right_transposed)(const double* l, double* a, std::size_t rows);
  /// a = l^-1 a, for a lower triangle l with ones on its diagonal
  void (*solve_left_unit)(const double* l, double* a, std::size_t rows);
  /// a = a u^-1, for an upper triangle u
  void (*solve_right_upper)(const double* u, double* a, std::size_t rows);
};

/// The kernels to be used: found at the first call. Thread-safe.
[[nodiscard]] const tile_kernels& best_tile_kernels();
/// Those of this folder.
[[nodiscard]] const tile_kernels& own_tile_kernels();
/// nullptr: OpenBLAS is not installed.
[[nodiscard]] const tile_kernels* openblas_tile_kernels();

/// The Cholesky factor of a tile, in its lower triangle; the upper one becomes 0. The tile must be positive definite.
void factor_symmetric(double* a, std::size_t rows);
/// a = l u without pivots: l, without its ones, below the diagonal; u above. Pivots must not be 0.
void factor_general(double* a, std::size_t rows);

}  // namespace nearfork::workloads

// Apart from those who call it, so that all contenders run the same instructions.
#include "workloads/matmul/matmul.hpp"

namespace nearfork::workloads {

void matmul_leaf(const matmul_matrices& of, const matmul_block& block) {
  for (std::size_t i = block.i; i < block.i + block.rows; ++i) {
    double* const c = of.c + i * of.n + block.j;
    for (std::size_t k = block.k; k < block.k + block.depth; ++k) {
      const double a = of.a[i * of.n + k];
      const double* const b = of.b + k * of.n + block.j;
      for (std::size_t j = 0; j < block.columns; ++j) c[j] += a * b[j];
    }
  }
}

}  // namespace nearfork::workloads

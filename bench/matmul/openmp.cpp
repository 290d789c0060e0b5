#include "bench/matmul/matmul.hpp"

void matmul::solve(const product& p) {
  if (p.is_leaf()) return multiply_leaf(p);
  const two_products two = halve(p);
  if (p.splits_inner()) {
    solve(two.first);
    solve(two.second);
    return;
  }
#pragma omp task shared(two)
  solve(two.first);
  solve(two.second);
#pragma omp taskwait
}

#include "bench/matmul/matmul.hpp"

void matmul::solve(const product& p) {
  if (p.is_leaf()) return multiply_leaf(p);
  const two_products two = halve(p);
  solve(two.first);
  solve(two.second);
}

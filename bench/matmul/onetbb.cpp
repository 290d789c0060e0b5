#include <oneapi/tbb/parallel_invoke.h>

#include "bench/matmul/matmul.hpp"

void matmul::solve(const product& p) {
  if (p.is_leaf()) return multiply_leaf(p);
  const two_products two = halve(p);
  if (p.splits_inner()) {
    solve(two.first);
    solve(two.second);
    return;
  }
  tbb::parallel_invoke([&] { solve(two.first); }, [&] { solve(two.second); });
}

#include "bench/integrate/integrate.hpp"

double integrate::solve(trapezoid whole) {
  const halves two = halve(whole);
  if (two.agree_with(whole)) return two.area();
  double left = 0, right = 0;
#pragma omp task shared(left, two)
  left = solve(two.left);
  right = solve(two.right);
#pragma omp taskwait
  return left + right;
}

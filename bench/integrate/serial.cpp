#include "bench/integrate/integrate.hpp"

double integrate::solve(trapezoid whole) {
  const halves two = halve(whole);
  if (two.agree_with(whole)) return two.area();
  return solve(two.left) + solve(two.right);
}

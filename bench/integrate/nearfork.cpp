#include <nearfork/nearfork.hpp>

#include "bench/integrate/integrate.hpp"

double integrate::solve(trapezoid whole) {
  const halves two = halve(whole);
  if (two.agree_with(whole)) return two.area();
  const auto [left, right] = nearfork::fork_join([&] { return solve(two.left); }, [&] { return solve(two.right); });
  return left + right;
}

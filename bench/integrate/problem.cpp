#include <memory>
#include <stdexcept>

#include "bench/harness/problem.hpp"
#include "bench/integrate/integrate.hpp"

namespace {

integrate::trapezoid up_to(double x) {
  return {0, x, integrate::f(0), integrate::f(x)};
}
double exactly(double x) {
  return x * x * x * x / 4 + x * x / 2;
}

double halvings(const integrate::trapezoid& whole) {
  const integrate::halves two = integrate::halve(whole);
  return two.agree_with(whole) ? 0 : 1 + halvings(two.left) + halvings(two.right);
}

}  // namespace

std::uint64_t bench::usual_size() {
  return 1500;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > 10'000) throw std::invalid_argument("integrate: a size from 1 to 10000 is wanted");
  const auto x = static_cast<double>(size);
  auto answer = std::make_shared<double>(0);
  return {.solve = [=] { *answer = integrate::solve(up_to(x)); },
          .right = [=] { return std::abs(*answer - exactly(x)) < 1e-8 * exactly(x); },
          .operations = halvings(up_to(x)),
          .operation = "fork"};
}

#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/fib/fib.hpp"
#include "bench/harness/problem.hpp"

namespace {

std::uint64_t by_loop(std::uint64_t n) {
  std::uint64_t a = 0, b = 1;
  for (std::uint64_t i = 0; i < n; ++i) a = std::exchange(b, a + b);
  return a;
}

}  // namespace

std::uint64_t bench::usual_size() {
  return 40;
}

bench::problem bench::make_problem(std::uint64_t n) {
  if (n > 60) throw std::invalid_argument("fib: a size up to 60 is wanted; 60 takes hours");
  auto answer = std::make_shared<std::uint64_t>(0);
  return {.solve = [=] { *answer = fib::solve(static_cast<int>(n)); },
          .right = [=] { return *answer == by_loop(n); },
          .operations = static_cast<double>(by_loop(n + 1)) - 1,  // calls with n >= 2
          .operation = "fork"};
}

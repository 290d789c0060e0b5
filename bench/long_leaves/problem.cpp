#include <memory>
#include <stdexcept>

#include "bench/harness/problem.hpp"
#include "bench/long_leaves/long_leaves.hpp"

std::uint64_t bench::usual_size() {
  return 64;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > 1'000'000) throw std::invalid_argument("long_leaves: a size from 1 to 1000000 is wanted");
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < size; ++i) expected += long_leaves::leaf(i);
  auto answer = std::make_shared<std::uint64_t>(0);
  return {.solve = [=] { *answer = long_leaves::solve(size); },
          .right = [=] { return *answer == expected; },
          .operations = static_cast<double>(size),
          .operation = "leaf"};
}

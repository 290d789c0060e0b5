#include <memory>
#include <stdexcept>

#include "bench/harness/problem.hpp"
#include "bench/reduce/reduce.hpp"

std::uint64_t bench::usual_size() {
  return 100'000'000;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > 100'000'000'000)
    throw std::invalid_argument("reduce: a size from 1 to 100000000000 is wanted");
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < size; ++i) expected += reduce::body(i);
  auto answer = std::make_shared<std::uint64_t>(0);
  return {.solve = [=] { *answer = reduce::solve(size); },
          .right = [=] { return *answer == expected; },
          .operations = static_cast<double>(size),
          .operation = "body"};
}

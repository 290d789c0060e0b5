#include <memory>
#include <stdexcept>

#include "bench/dataflow/sweeps.hpp"
#include "bench/harness/problem.hpp"

std::uint64_t bench::usual_size() {
  return 10'000;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > 1'000'000) throw std::invalid_argument("dataflow: a size from 1 to 1000000 sweeps is wanted");
  const auto fresh = [] { return std::vector<std::uint64_t>(sweeps::width + 1, 1); };
  std::vector<std::uint64_t> expected = fresh();
  for (std::uint64_t n = 0; n < size; ++n)
    for (std::size_t i = 1; i <= sweeps::width; ++i) expected[i] = sweeps::updated(expected[i], expected[i - 1]);
  auto cells = std::make_shared<std::vector<std::uint64_t>>(fresh());
  return {.solve = [=] { sweeps::solve(size, *cells); },
          .right =
              [=] {
                const bool same = *cells == expected;
                *cells = fresh();
                return same;
              },
          .operations = static_cast<double>(size * sweeps::width),
          .operation = "task"};
}

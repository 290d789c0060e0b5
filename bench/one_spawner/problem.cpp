#include <array>
#include <memory>
#include <stdexcept>

#include "bench/harness/problem.hpp"
#include "bench/one_spawner/one_spawner.hpp"

std::uint64_t bench::usual_size() {
  return 1'000'000;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > 1'000'000'000)
    throw std::invalid_argument("one_spawner: a size from 1 to 1000000000 is wanted");
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < size; ++i) expected += one_spawner::work(i);
  auto sums = std::make_shared<std::array<std::atomic<std::uint64_t>, 64>>();
  return {.solve = [=] { one_spawner::solve(size, sums->data()); },
          .right =
              [=] {
                std::uint64_t sum = 0;
                for (auto& one : *sums) sum += one.exchange(0);
                return sum == expected;
              },
          .operations = static_cast<double>(size),
          .operation = "task"};
}

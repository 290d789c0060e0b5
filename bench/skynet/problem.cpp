#include <memory>
#include <stdexcept>

#include "bench/harness/problem.hpp"
#include "bench/skynet/skynet.hpp"

std::uint64_t bench::usual_size() {
  return 1'000'000;
}

bench::problem bench::make_problem(std::uint64_t size) {
  std::uint64_t nodes = 0;
  for (std::uint64_t level = size; level > 0; level /= skynet::branching) {
    if (level > 1 && level % skynet::branching != 0)
      throw std::invalid_argument("skynet: a power of ten is wanted as size");
    nodes += level;
  }
  if (nodes == 0 || size > 1'000'000'000) throw std::invalid_argument("skynet: a size from 1 to 1000000000 is wanted");
  auto answer = std::make_shared<std::uint64_t>(0);
  return {.solve = [=] { *answer = skynet::solve(0, size); },
          .right = [=] { return *answer == size * (size - 1) / 2; },
          .operations = static_cast<double>(nodes),
          .operation = "task"};
}

#include <memory>
#include <stdexcept>

#include "bench/harness/problem.hpp"
#include "bench/nqueens/nqueens.hpp"

namespace {

/// The solution counts of OEIS A000170.
constexpr std::array<std::uint64_t, nqueens::most_queens + 1> solutions = {
    1,   1,     0,      0,      2,       10,        4,          40,         92,         352,
    724, 2'680, 14'200, 73'712, 365'596, 2'279'184, 14'772'512, 95'815'104, 666'090'624};

std::uint64_t boards(unsigned n, nqueens::board placed) {
  std::uint64_t sum = 1;
  for (std::uint32_t open = placed.free_squares(n); open != 0;)
    sum += boards(n, placed.with(nqueens::take_lowest(open)));
  return sum;
}

}  // namespace

std::uint64_t bench::usual_size() {
  return 12;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > nqueens::most_queens) throw std::invalid_argument("nqueens: a size from 1 to 18 is wanted");
  const auto n = static_cast<unsigned>(size);
  auto answer = std::make_shared<std::uint64_t>(0);
  return {.solve = [=] { *answer = nqueens::solve(n, {}); },
          .right = [=] { return *answer == solutions[n]; },
          .operations = static_cast<double>(boards(n, {})),
          .operation = "task"};
}

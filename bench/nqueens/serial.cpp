#include "bench/nqueens/nqueens.hpp"

std::uint64_t nqueens::solve(unsigned n, board placed) {
  if (placed.full(n)) return 1;
  std::uint64_t sum = 0;
  for (std::uint32_t open = placed.free_squares(n); open != 0;) sum += solve(n, placed.with(take_lowest(open)));
  return sum;
}

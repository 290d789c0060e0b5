#include "bench/nqueens/nqueens.hpp"

std::uint64_t nqueens::solve(unsigned n, board placed) {
  if (placed.full(n)) return 1;
  std::array<std::uint64_t, most_queens> found;
  std::size_t tried = 0;
  for (std::uint32_t open = placed.free_squares(n); open != 0; ++tried) {
    const board next = placed.with(take_lowest(open));
    std::uint64_t* const here = &found[tried];
#pragma omp task firstprivate(n, next, here)
    *here = solve(n, next);
  }
#pragma omp taskwait
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < tried; ++i) sum += found[i];
  return sum;
}

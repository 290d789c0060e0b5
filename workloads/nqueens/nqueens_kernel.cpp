#include "workloads/nqueens/nqueens.hpp"

namespace nearfork::workloads {

std::uint64_t count_queens(const queens_board& board, std::uint32_t all) noexcept {
  if (board.rows_left == 0) return 1;
  std::uint64_t solutions = 0;
  for (std::uint32_t free = board.free(all); free != 0; free &= free - 1)
    solutions += count_queens(board.with(free & (~free + 1)), all);
  return solutions;
}

}  // namespace nearfork::workloads

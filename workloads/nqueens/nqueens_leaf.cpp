// Apart from those who call it, so that all contenders run the same instructions.
#include "workloads/nqueens/nqueens.hpp"

namespace nearfork::workloads {

std::uint64_t nqueens_leaf(std::uint32_t board, queens_above above) {
  if (above.straight == board) return 1;
  std::uint64_t ways = 0;
  for (std::uint32_t free = above.free_columns(board); free != 0; free &= free - 1)
    ways += nqueens_leaf(board, above.with(free & (0 - free)));
  return ways;
}

}  // namespace nearfork::workloads

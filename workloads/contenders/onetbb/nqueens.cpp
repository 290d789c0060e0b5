#include <oneapi/tbb/task_group.h>

#include <bit>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::size_t most_columns = 32;

/// A task per queen of the row. Each has its own place for its result.
std::uint64_t count(const nqueens_instance& nqueens, const queens_board& board) {
  if (nqueens.is_leaf(board)) return count_queens(board, nqueens.all_columns());
  std::uint64_t found[most_columns] = {};
  tbb::task_group queens;
  for (std::uint32_t free = board.free(nqueens.all_columns()); free != 0; free &= free - 1)
    queens.run([&, column = std::countr_zero(free)] {
      found[column] = count(nqueens, board.with(std::uint32_t{1} << column));
    });
  queens.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : found) sum += each;
  return sum;
}

}  // namespace

void nqueens_tbb(nqueens_instance& nqueens, unsigned workers) {
  with_tbb_crew(workers, [&] { nqueens.set_answer(count(nqueens, nqueens.empty_board())); });
}

}  // namespace nearfork::workloads

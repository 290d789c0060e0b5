#include <bit>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::size_t most_columns = 32;

/// A task per queen of the row. Each has its own place for its result.
std::uint64_t count(const nqueens_instance& nqueens, const queens_board& board) {
  if (nqueens.is_leaf(board)) return count_queens(board, nqueens.all_columns());
  std::uint64_t found[most_columns] = {};
  for (std::uint32_t free = board.free(nqueens.all_columns()); free != 0; free &= free - 1) {
    const int column = std::countr_zero(free);
#pragma omp task default(shared) firstprivate(column)
    found[column] = count(nqueens, board.with(std::uint32_t{1} << column));
  }
#pragma omp taskwait
  std::uint64_t sum = 0;
  for (const std::uint64_t each : found) sum += each;
  return sum;
}

}  // namespace

/// A loop over the queens of the first two rows.
void nqueens_omp_static(nqueens_instance& nqueens, unsigned workers) {
  const queens_board empty = nqueens.empty_board();
  const std::uint32_t all = nqueens.all_columns();
  const auto columns = static_cast<unsigned>(std::popcount(all));
  std::uint64_t sum = columns == 1 ? 1 : 0;
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static) reduction(+ : sum)
  for (unsigned pair = 0; pair < columns * columns; ++pair) {
    const queens_board board = empty.with(std::uint32_t{1} << pair / columns);
    const std::uint32_t queen = std::uint32_t{1} << pair % columns;
    if ((board.free(all) & queen) != 0) sum += count_queens(board.with(queen), all);
  }
  nqueens.set_answer(sum);
}

void nqueens_omp_tasks(nqueens_instance& nqueens, unsigned workers) {
  with_omp_crew(workers, [&] { nqueens.set_answer(count(nqueens, nqueens.empty_board())); });
}

}  // namespace nearfork::workloads

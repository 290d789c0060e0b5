#include "workloads/nqueens/nqueens.hpp"

#include <iterator>

#include <nearfork/fork_join.hpp>
#include <nearfork/region.hpp>

#include "workloads/difference.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::uint64_t no_count = ~std::uint64_t{0};

/// From n = 1; OEIS A000170.
constexpr std::uint64_t solutions[] = {1,   0,    0,     2,     10,     4,       40,       92,       352,
                                       724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624};

const size_table<nqueens_size>& nqueens_sizes() {
  static const size_table<nqueens_size> table{
      {{&nqueens_size::n, {"n", "queens, and rows and columns of the board", 1, std::size(solutions)}},
       {&nqueens_size::spawn_rows,
        {"spawn_rows", "rows in which each queen is a task of its own", 0, std::size(solutions)}}},
      {{"default", {14, 5}}, {"small", {11, 4}}, {"test", {7, 3}}}};
  return table;
}

}  // namespace

nqueens_instance::nqueens_instance(const nqueens_size& size, std::uint64_t /*seed: there is no input*/) : size_(size) {
  reset();
}

std::uint64_t nqueens_instance::bytes(const nqueens_size& /*size*/) {
  return sizeof(nqueens_instance);
}

void nqueens_instance::reset() {
  answer_ = no_count;
}

void nqueens_instance::run_serial() {
  answer_ = count_queens(empty_board(), all_columns());
}

void nqueens_instance::run_nearfork() {
  region("nqueens", [&] { answer_ = count(empty_board()); });
}

std::uint64_t nqueens_instance::count(const queens_board& board) const {
  if (is_leaf(board)) return count_queens(board, all_columns());
  return count_each(board, board.free(all_columns()));
}

/// One queen here; the others are for thieves.
std::uint64_t nqueens_instance::count_each(const queens_board& board, std::uint32_t queens) const {
  if (queens == 0) return 0;
  const std::uint32_t queen = queens & (~queens + 1);
  if (queen == queens) return count(board.with(queen));
  const auto [here, others] =
      fork_join([&] { return count(board.with(queen)); }, [&] { return count_each(board, queens ^ queen); });
  return here + others;
}

std::string nqueens_instance::fault() const {
  return difference("the number of solutions", answer_, solutions[size_.n - 1]);
}

void nqueens_instance::corrupt(std::uint64_t where) {
  answer_ ^= std::uint64_t{1} << where % 64;
}

workload nqueens_workload() {
  return workload_of<nqueens_instance>("nqueens", "counts the ways to place n queens; tasks of very different lengths",
                                       nqueens_sizes());
}

}  // namespace nearfork::workloads

// N queens: counts the ways to put n queens on a board of n x n so that none attacks another.
#pragma once

#include "workloads/instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct nqueens_size {
  std::uint64_t n;
  std::uint64_t spawn_rows;
};

/// What the queens so far attack in the next row: one bit per column.
struct queens_board {
  std::uint32_t columns = 0;
  std::uint32_t falling = 0;
  std::uint32_t rising = 0;
  unsigned rows_left = 0;

  [[nodiscard]] std::uint32_t free(std::uint32_t all) const noexcept { return all & ~(columns | falling | rising); }
  [[nodiscard]] queens_board with(std::uint32_t queen) const noexcept {
    return {columns | queen, (falling | queen) << 1, (rising | queen) >> 1, rows_left - 1};
  }
};

/// The number of solutions below a board, without forks.
[[nodiscard]] std::uint64_t count_queens(const queens_board& board, std::uint32_t all) noexcept;

class nqueens_instance final : public instance {
 public:
  nqueens_instance(const nqueens_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const nqueens_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  [[nodiscard]] queens_board empty_board() const noexcept { return {.rows_left = static_cast<unsigned>(size_.n)}; }
  [[nodiscard]] std::uint32_t all_columns() const noexcept { return (std::uint32_t{1} << size_.n) - 1; }
  /// True if no tasks are made below this board.
  [[nodiscard]] bool is_leaf(const queens_board& board) const noexcept {
    return board.rows_left == 0 || size_.n - board.rows_left >= size_.spawn_rows;
  }
  void set_answer(std::uint64_t solutions) noexcept { answer_ = solutions; }

 private:
  [[nodiscard]] std::uint64_t count(const queens_board& board) const;
  [[nodiscard]] std::uint64_t count_each(const queens_board& board, std::uint32_t queens) const;

  nqueens_size size_;
  std::uint64_t answer_ = 0;
};

[[nodiscard]] workload nqueens_workload();

}  // namespace nearfork::workloads

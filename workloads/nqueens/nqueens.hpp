// In how many ways n queens stand on a board of n by n so that none attacks another. The tree is irregular by nature.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "workloads/parameters.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct nqueens_size {
  std::uint64_t n = 13;
  std::uint64_t depth = 5;
};
[[nodiscard]] std::vector<parameter> parameters_of(nqueens_size& size);
[[nodiscard]] std::uint64_t bytes_of(const nqueens_size& size);

/// The columns of the next row that the queens above attack: straight, and along both diagonals. Bit i is column i.
struct queens_above {
  std::uint32_t straight = 0;
  std::uint32_t to_left = 0;
  std::uint32_t to_right = 0;

  [[nodiscard]] constexpr std::uint32_t free_columns(std::uint32_t board) const noexcept {
    return board & ~(straight | to_left | to_right);
  }
  /// One more queen; `column` has one bit.
  [[nodiscard]] constexpr queens_above with(std::uint32_t column) const noexcept {
    return {straight | column, (to_left | column) << 1, (to_right | column) >> 1};
  }
};

/// The ways to fill the rows that are left. `board` has a bit for each column.
[[nodiscard]] std::uint64_t nqueens_leaf(std::uint32_t board, queens_above above);

template <class Fork>
std::uint64_t nqueens_by(const Fork& fork, std::uint32_t board, queens_above above, std::uint64_t depth);

/// The ways with the next queen on one of `columns`, of which there is at least one.
template <class Fork>
[[nodiscard]] std::uint64_t nqueens_on(const Fork& fork, std::uint32_t board, queens_above above, std::uint32_t columns,
                                       std::uint64_t depth) {
  if (std::has_single_bit(columns)) return nqueens_by(fork, board, above.with(columns), depth - 1);
  std::uint32_t right = columns;
  for (int i = std::popcount(columns) / 2; i > 0; --i) right &= right - 1;
  std::uint64_t one = 0, other = 0;
  fork([&] { one = nqueens_on(fork, board, above, columns & ~right, depth); },
       [&] { other = nqueens_on(fork, board, above, right, depth); });
  return one + other;
}

/// The ways to fill the rows that are left, the first `depth` of them in parallel.
template <class Fork>
[[nodiscard]] std::uint64_t nqueens_by(const Fork& fork, std::uint32_t board, queens_above above, std::uint64_t depth) {
  if (depth == 0 || above.straight == board) return nqueens_leaf(board, above);
  const std::uint32_t columns = above.free_columns(board);
  return columns == 0 ? 0 : nqueens_on(fork, board, above, columns, depth);
}

class nqueens final : public problem {
 public:
  using size = nqueens_size;
  explicit nqueens(const nqueens_size& chosen) : chosen_(chosen) {}

  void reset() override { result = no_answer; }
  [[nodiscard]] std::optional<std::string> fault() const override;
  [[nodiscard]] std::span<std::byte> answer() override { return std::as_writable_bytes(std::span(&result, 1)); }

  [[nodiscard]] const nqueens_size& chosen() const noexcept { return chosen_; }
  [[nodiscard]] std::uint32_t board() const noexcept { return (std::uint32_t{1} << chosen_.n) - 1; }

  static constexpr std::uint64_t no_answer = ~std::uint64_t{0};
  std::uint64_t result = no_answer;

 private:
  nqueens_size chosen_;
};

void run_nqueens_serial(nqueens& board);
void run_nqueens_nearfork(nqueens& board);

[[nodiscard]] workload define_nqueens();

}  // namespace nearfork::workloads

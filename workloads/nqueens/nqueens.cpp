#include "workloads/nqueens/nqueens.hpp"

#include <array>
#include <bit>

#include <nearfork/parallel_reduce.hpp>

#include "workloads/define.hpp"

namespace nearfork::workloads {
namespace {

/// The i-th of the bits that are set.
std::uint32_t nth_bit(std::uint32_t bits, unsigned i) {
  for (; i > 0; --i) bits &= bits - 1;
  return bits & (0 - bits);
}

std::uint64_t ways(std::uint32_t board, queens_above above, std::uint64_t depth) {
  if (depth == 0 || above.straight == board) return nqueens_leaf(board, above);
  const std::uint32_t free = above.free_columns(board);
  return parallel_reduce(
      0U, static_cast<unsigned>(std::popcount(free)), std::uint64_t{0},
      [=](unsigned i) { return ways(board, above.with(nth_bit(free, i)), depth - 1); },
      [](std::uint64_t one, std::uint64_t other) { return one + other; }, {.grain = 1});
}

/// OEIS A000170, independent of any program of ours.
constexpr std::array<std::uint64_t, 19> known_ways{
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624};

}  // namespace

std::vector<parameter> parameters_of(nqueens_size& size) {
  return {number("n", size.n, {1, known_ways.size() - 1}, "queens, and rows and columns of the board"),
          number("depth", size.depth, {0, known_ways.size() - 1}, "rows from the top that fork")};
}

std::uint64_t bytes_of(const nqueens_size&) {
  return sizeof(nqueens);
}

std::optional<std::string> nqueens::fault() const {
  const std::uint64_t expected = known_ways[chosen_.n];
  if (result == expected) return std::nullopt;
  return std::to_string(chosen_.n) + " queens stand in " + std::to_string(result) + " ways, but must in " +
         std::to_string(expected);
}

void run_nqueens_serial(nqueens& board) {
  board.result = nqueens_leaf(board.board(), {});
}

void run_nqueens_nearfork(nqueens& board) {
  board.result = ways(board.board(), {}, board.chosen().depth);
}

workload define_nqueens() {
  return define<nqueens>({.name = "nqueens",
                          .description = "ways to place n queens; CPU-bound, an irregular tree",
                          .sizes = {{"test", "n=8,depth=3"}, {"small", "n=11"}, {"default", ""}, {"a-cab", "n=15"}},
                          .contenders = {contender_of("serial", library::none, run_nqueens_serial),
                                         contender_of("nearfork", library::nearfork, run_nqueens_nearfork)}});
}

}  // namespace nearfork::workloads

#include "workloads/nqueens/nqueens.hpp"

#include <array>

#include "workloads/define.hpp"
#include "workloads/fork.hpp"

namespace nearfork::workloads {
namespace {

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
  board.result = nqueens_by(nearfork_fork{}, board.board(), {}, board.chosen().depth);
}

workload define_nqueens() {
  return define<nqueens>({.name = "nqueens",
                          .description = "ways to place n queens; CPU-bound, an irregular tree",
                          .sizes = {{"test", "n=8,depth=3"}, {"small", "n=11"}, {"default", ""}, {"a-cab", "n=15"}},
                          .contenders = {contender_of("serial", library::none, run_nqueens_serial),
                                         contender_of("nearfork", library::nearfork, run_nqueens_nearfork)}});
}

}  // namespace nearfork::workloads

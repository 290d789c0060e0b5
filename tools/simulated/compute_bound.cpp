// The compute-bound workloads, which touch next to no data: fib, nqueens and mandelbrot. What they compute is counted
// by doing it.
#include <algorithm>
#include <utility>

#include "tools/simulated/workload_programs.hpp"
#include "workloads/input_numbers.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"
#include "workloads/nqueens/nqueens.hpp"

namespace nearfork::tools {
namespace {

using namespace workloads;

/// A comparison, two subtractions, an addition; the call, the return, and what the stack holds meanwhile.
constexpr double operations_of_fib_call = 8;
/// Choosing a queen and its attacks: and, or, shifts, subtraction; and as many loads and stores of boards.
constexpr double operations_of_board = 16;
/// z^2 + c and its length: seven multiplications and additions, a comparison of each counter and length. Each waits for
/// the one before, so they count twice.
constexpr double operations_of_escape_step = 20;

/// The tasks of fib(n). Each is a node of the graph.
double fib_tasks(std::uint64_t n, std::uint64_t cutoff) {
  double before = 1;
  double tasks = 1;
  for (std::uint64_t i = cutoff + 1; i <= n; ++i) before = std::exchange(tasks, 1 + tasks + before);
  return tasks;
}

struct fib_sketch {
  graph_sketch& into;
  const simulation_input& input;
  std::uint64_t cutoff;

  /// The calls that fib_serial(n) makes: 2 F(n + 1) - 1.
  [[nodiscard]] static double calls(std::uint64_t n) {
    double a = 1;
    double b = 1;
    for (; n > 1; --n) a = std::exchange(b, a + b);
    return 2 * b - 1;
  }
  void number(tree_node here, std::uint64_t n) {
    if (n <= cutoff) return into.work(here, time_of(operations_of_fib_call * calls(n), input));
    into.work(here, time_of(operations_of_fib_call, input));
    const tree_node first = into.fork(here, 2);
    number(first, n - 1);
    number(tree_node{index_of(first) + 1}, n - 2);
  }
};

std::uint64_t boards_below(const queens_board& board, std::uint32_t all) {
  std::uint64_t boards = 1;
  if (board.rows_left == 0) return boards;
  for (std::uint32_t free = board.free(all); free != 0; free &= free - 1)
    boards += boards_below(board.with(free & (~free + 1)), all);
  return boards;
}

/// As nqueens_instance::count() and count_each().
struct queens_sketch {
  graph_sketch& into;
  const simulation_input& input;
  const nqueens_instance& problem;

  void count(tree_node here, const queens_board& board) {
    if (problem.is_leaf(board))
      return board_work(here, static_cast<double>(boards_below(board, problem.all_columns())));
    count_each(here, board, board.free(problem.all_columns()));
  }
  void count_each(tree_node here, const queens_board& board, std::uint32_t queens) {
    if (queens == 0) return;
    board_work(here, 1);
    const std::uint32_t queen = queens & (~queens + 1);
    if (queen == queens) return count(here, board.with(queen));
    const tree_node first = into.fork(here, 2);
    count(first, board.with(queen));
    count_each(tree_node{index_of(first) + 1}, board, queens ^ queen);
  }
  /// How many queens a board leaves room for nobody can foresee, so the end of its loop is guessed wrong.
  void board_work(tree_node here, double boards) {
    into.work(here, time_of(operations_of_board * boards, input, loop_kind::scalar, boards));
  }
};

/// The view of mandelbrot_instance.
mandelbrot_view view_of(const mandelbrot_size& size, std::uint64_t seed) {
  const double step = 2.5 / static_cast<double>(std::min(size.width, size.height));
  input_numbers numbers(seed);
  const double left = -0.75 - step * (static_cast<double>(size.width) / 2 + numbers.unit());
  return {left, step * (static_cast<double>(size.height) / 2 + numbers.unit()), step,
          static_cast<std::uint32_t>(size.limit)};
}

struct picture_sketch {
  graph_sketch& into;
  const simulation_input& input;
  mandelbrot_size size;
  mandelbrot_view view;

  /// As a parallel_for with a grain of 1 divides its rows.
  void rows(tree_node here, std::uint64_t first, std::uint64_t last) {
    if (last - first <= 1) return row(here, first);
    const tree_node child = into.fork(here, 2);
    const std::uint64_t middle = first + (last - first) / 2;
    rows(child, first, middle);
    rows(tree_node{index_of(child) + 1}, middle, last);
  }
  void row(tree_node here, std::uint64_t y) {
    double steps = 0;
    for (std::uint64_t x = 0; x < size.width; ++x) steps += mandelbrot_pixel(view, x, y) + 1;
    const std::uint64_t bytes = size.width * sizeof(std::uint32_t);
    const data_access pixels{y * bytes, bytes, access_kind::write};
    into.work(here, time_of(operations_of_escape_step * steps, input), {&pixels, 1});
  }
};

}  // namespace

sim::program simulate_fib(const simulation_input& input) {
  check_tasks("fib", fib_tasks(input.size.at(0), input.size.at(1)));
  graph_sketch sketch(most_simulated_tasks);
  fib_sketch{sketch, input, input.size.at(1)}.number(tree_root, input.size.at(0));
  return program_of("fib", 0, std::move(sketch));
}

sim::program simulate_nqueens(const simulation_input& input) {
  graph_sketch sketch(most_simulated_tasks);
  const nqueens_instance problem({input.size.at(0), input.size.at(1)}, input.seed);
  queens_sketch{sketch, input, problem}.count(tree_root, problem.empty_board());
  return program_of("nqueens", 0, std::move(sketch));
}

sim::program simulate_mandelbrot(const simulation_input& input) {
  graph_sketch sketch(most_simulated_tasks);
  const mandelbrot_size size{input.size.at(0), input.size.at(1), input.size.at(2)};
  picture_sketch{sketch, input, size, view_of(size, input.seed)}.rows(tree_root, 0, size.height);
  const std::uint64_t bytes = size.width * size.height * sizeof(std::uint32_t);
  return program_of("mandelbrot", 0, std::move(sketch), arrays_of(1, bytes));
}

}  // namespace nearfork::tools

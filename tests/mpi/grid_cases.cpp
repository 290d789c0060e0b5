// Heat in a plane whose blocks are exchanged by halos: the same as one rank alone computes, bit for bit.
#include <cmath>

#include "mpi/cases.hpp"

namespace cases {
namespace {

namespace mpi = nearfork::mpi;

/// Rows x columns items with a border of one item.
struct plane {
  int rows;
  int columns;
  std::vector<double> items =
      std::vector<double>(static_cast<std::size_t>(rows + 2) * static_cast<std::size_t>(columns + 2));
  double& at(int row, int column) { return items[static_cast<std::size_t>(row * (columns + 2) + column)]; }
};

double first_heat(int row, int column) {
  return std::sin(0.1 * row) * 100 + column % 17;
}

void step(plane& from, plane& to, int first_row, int last_row, int first_column, int last_column) {
  nearfork::parallel_for(first_row, last_row + 1, [&](int row) {
    for (int column = first_column; column <= last_column; ++column)
      to.at(row, column) =
          from.at(row, column) + 0.1 * (from.at(row - 1, column) + from.at(row + 1, column) + from.at(row, column - 1) +
                                        from.at(row, column + 1) - 4 * from.at(row, column));
  });
}

void fill(plane& block, int above, int left) {
  for (int row = 1; row <= block.rows; ++row)
    for (int column = 1; column <= block.columns; ++column)
      block.at(row, column) = first_heat(above + row, left + column);
}

/// The outermost rows and columns, which need the border.
void step_edges(plane& from, plane& to) {
  step(from, to, 1, 1, 1, from.columns);
  step(from, to, from.rows, from.rows, 1, from.columns);
  step(from, to, 2, from.rows - 1, 1, 1);
  step(from, to, 2, from.rows - 1, from.columns, from.columns);
}

void halo(const arguments&) {
  const initialised here;
  constexpr int rows = 60;
  constexpr int columns = 45;
  constexpr int steps = 30;
  {
    mpi::halo borders(MPI_COMM_WORLD, {.rows = rows, .columns = columns});
    const int above = borders.place()[0] * rows;
    const int left = borders.place()[1] * columns;
    plane mine{rows, columns};
    plane next{rows, columns};
    plane all{rows * borders.ranks()[0], columns * borders.ranks()[1]};
    plane all_next{all.rows, all.columns};
    fill(mine, above, left);
    fill(all, 0, 0);
    nearfork::run([&] {
      for (int i = 0; i < steps; ++i) {
        borders.exchange(mine.items.data(), [&] { step(mine, next, 2, rows - 1, 2, columns - 1); });
        step_edges(mine, next);
        std::swap(mine.items, next.items);
        step(all, all_next, 1, all.rows, 1, all.columns);
        std::swap(all.items, all_next.items);
      }
    });
    int wrong = 0;
    for (int row = 1; row <= rows; ++row)
      for (int column = 1; column <= columns; ++column)
        wrong += mine.at(row, column) != all.at(above + row, left + column);
    expect(wrong == 0, std::to_string(wrong) + " items differ from those of one rank alone");
    expect_says(message_of([&] { mpi::halo(MPI_COMM_WORLD, {.rows = 4, .columns = 4, .ranks = {7, 5}}); }),
                "7 x 5 blocks of 4 x 4 items");
  }
  // Round in both directions: each border has what the neighbour sent.
  mpi::halo round(MPI_COMM_WORLD,
                  {.rows = 2, .columns = 3, .ranks = {here.ranks, 1}, .periodic = {true, true}, .item = MPI_INT});
  std::vector<int> block(4 * 5, here.rank);
  round.exchange(block.data());
  expect(block[2] == (here.rank + here.ranks - 1) % here.ranks, "from above");
  expect(block[3 * 5 + 2] == (here.rank + 1) % here.ranks, "from below");
  expect(block[5] == here.rank && block[0] == here.rank, "from the left, and a corner");
}

}  // namespace

table grid_cases() {
  return {{"halo", halo}};
}

}  // namespace cases

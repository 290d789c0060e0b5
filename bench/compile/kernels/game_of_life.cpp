// Generations of a grid: three loops in each other, and a count at the end.
#include <sequence.hpp>

int main() {
  const std::size_t n = 32;
  std::vector<std::vector<int>> cells(n, std::vector<int>(n));
  cells[1][2] = cells[2][3] = cells[3][1] = cells[3][2] = cells[3][3] =
      1;  // a glider moves by one cell in four generations
  for (int generation = 0; generation < 4 * 20; ++generation)
    cells = sequence::tabulate(n, [&](auto row) {
      return sequence::tabulate(n, [&](auto column) {
        const auto around = sequence::sum_of(
            9, [&](auto k) { return k == 4 ? 0 : cells[(row + k / 3 + n - 1) % n][(column + k % 3 + n - 1) % n]; });
        return around == 3 || (around == 2 && cells[row][column] == 1) ? 1 : 0;
      });
    });
  const auto alive = sequence::sum(sequence::map(cells, [](const auto& row) { return sequence::sum(row); }));
  return alive == 5 && cells[21][22] == 1 && cells[23][22] == 1 && cells[23][23] == 1 ? 0 : 1;
}

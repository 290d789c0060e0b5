// Sweeps over a grid by loops in loops, with a reduction over rows for the change.
#include <algorithm>
#include <cmath>
#include <sequence.hpp>

int main() {
  const std::size_t n = 16;
  std::vector<double> grid(n * n), next(n * n);
  for (std::size_t i = 0; i < n; ++i) grid[i * n] = grid[i] = grid[i * n + n - 1] = grid[(n - 1) * n + i] = 1;
  next = grid;
  double change = 1;
  for (int sweep = 0; sweep < 3'000 && change > 1e-10; ++sweep) {
    layer::loop(n - 2, [&](auto row) {
      layer::loop(n - 2, [&](auto column) {
        const auto at = (row + 1) * n + column + 1;
        next[at] = 0.25 * (grid[at - 1] + grid[at + 1] + grid[at - n] + grid[at + n]);
      });
    });
    const auto largest = [](auto a, auto b) { return std::max(a, b); };
    change = layer::reduce(
        n, 0.0,
        [&](auto row) {
          return layer::reduce(
              n, 0.0, [&](auto column) { return std::abs(next[row * n + column] - grid[row * n + column]); }, largest);
        },
        largest);
    std::swap(grid, next);
  }
  const auto wrong = sequence::count_of(n * n, [&](auto i) { return std::abs(grid[i] - 1) > 1e-6; });
  return wrong == 0 ? 0 : 1;
}

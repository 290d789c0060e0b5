// Loops in a loop, and a reduction in each: the product of two matrices.
#include <sequence.hpp>

int main() {
  const std::size_t n = 60;
  const auto a = sequence::tabulate(n * n, [](auto i) { return static_cast<double>(i % 7); });
  const auto b = sequence::tabulate(n * n, [](auto i) { return static_cast<double>(i % 5); });
  const auto product = sequence::tabulate(n, [&](auto row) {
    return sequence::tabulate(n, [&](auto column) {
      return sequence::sum_of(n, [&](auto k) { return a[row * n + k] * b[k * n + column]; });
    });
  });
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      double expected = 0;
      for (std::size_t k = 0; k < n; ++k) expected += a[row * n + k] * b[k * n + column];
      wrong += product[row][column] == expected ? 0 : 1;
    }
  return wrong == 0 ? 0 : 1;
}

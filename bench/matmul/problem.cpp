#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "bench/harness/problem.hpp"
#include "bench/matmul/matmul.hpp"

namespace {

using numbers = std::vector<double>;

numbers times(const numbers& matrix, const numbers& vector) {
  const std::size_t n = vector.size();
  numbers out(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out[i] += matrix[i * n + j] * vector[j];
  return out;
}

struct matrices {
  explicit matrices(std::size_t n) : side(n), a(n * n), b(n * n), c(n * n, 0), probe(n) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> value(-1, 1);
    for (auto* const filled : {&a, &b, &probe}) std::ranges::generate(*filled, [&] { return value(random); });
    expected = times(a, times(b, probe));
  }
  /// Freivalds' check: compares c * probe with a * (b * probe). A wrong c passes only if its error maps the probe to 0.
  [[nodiscard]] bool right() const {
    const numbers got = times(c, probe);
    for (std::size_t i = 0; i < side; ++i)
      if (!(std::abs(got[i] - expected[i]) < 1e-8 * static_cast<double>(side))) return false;
    return true;
  }
  std::size_t side;
  numbers a, b, c, probe, expected;
};

}  // namespace

std::uint64_t bench::usual_size() {
  return 768;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > 32'768) throw std::invalid_argument("matmul: a size from 1 to 32768 is wanted");
  auto all = std::make_shared<matrices>(size);
  return {.solve =
              [=] {
                matmul::solve({{all->a.data(), size}, {all->b.data(), size}, {all->c.data(), size}, size, size, size});
              },
          .right =
              [=] {
                const bool right = all->right();
                std::ranges::fill(all->c, 0);
                return right;
              },
          .operations = 2 * std::pow(static_cast<double>(size), 3),
          .operation = "flop"};
}

#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

#include <nearfork/nearfork.hpp>

int main() {
  const std::size_t n = 1'000'000;
  std::vector<double> x(n);
  nearfork::parallel_for(std::size_t{0}, n, [&](std::size_t i) { x[i] = 2.0 * static_cast<double>(i); });

  const double sum =
      nearfork::parallel_reduce(std::size_t{0}, n, 0.0, [&](std::size_t i) { return x[i]; }, std::plus<>());

  // Several loops in a row: go into the runtime once.
  nearfork::run([&] {
    for (int sweep = 0; sweep < 10; ++sweep)
      nearfork::parallel_for_range(std::size_t{0}, n, [&](std::size_t lo, std::size_t hi) {
        for (std::size_t i = lo; i != hi; ++i) x[i] *= 0.5;
      });
  });

  const bool right = sum == 999'999.0 * 1'000'000.0 && x[n - 1] * 1024.0 == 2.0 * 999'999.0;
  std::printf("loop: the sum is %.0f, %s\n", sum, right ? "as it should be" : "WRONG");
  return right ? 0 : 1;
}

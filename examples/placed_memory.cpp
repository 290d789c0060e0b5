#include <cstddef>
#include <cstdio>

#include <nearfork/nearfork.hpp>

int main() {
  nearfork::array<double> grid(1 << 16);
  nearfork::runtime workers(nearfork::config::from_environment());
  for (int step = 0; step < 50; ++step)
    workers.run([&] {
      nearfork::region({.name = "relax", .input_bytes = grid.size_bytes()}, [&] {
        nearfork::parallel_for(std::size_t{0}, grid.size(), [&](std::size_t i) { grid[i] = 0.5 * grid[i] + 1.0; });
      });
    });

  std::size_t wrong = 0;
  for (const double cell : grid) wrong += cell < 1.999'999 || cell > 2.0 ? 1 : 0;
  std::printf("placed memory: a cell is %.3f, %zu cells are wrong\n", grid[0], wrong);
  return wrong == 0 ? 0 : 1;
}

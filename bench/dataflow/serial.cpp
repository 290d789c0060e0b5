#include "bench/dataflow/sweeps.hpp"

void sweeps::solve(std::uint64_t count, std::vector<std::uint64_t>& cells) {
  for (std::uint64_t n = 0; n < count; ++n)
    for (std::size_t i = 1; i <= width; ++i) cells[i] = updated(cells[i], cells[i - 1]);
}

#include "bench/dataflow/sweeps.hpp"

void sweeps::solve(std::uint64_t count, std::vector<std::uint64_t>& cells) {
  for (std::uint64_t n = 0; n < count; ++n)
    for (std::size_t i = 1; i <= width; ++i) {
      std::uint64_t* const own = &cells[i];
#pragma omp task firstprivate(own) depend(in : own[-1]) depend(inout : own[0])
      *own = updated(*own, own[-1]);
    }
#pragma omp taskwait
}

#include "bench/one_spawner/one_spawner.hpp"

void one_spawner::solve(std::uint64_t count, std::atomic<std::uint64_t>* sums) {
  for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp task firstprivate(i, sums)
    sums[i % 64].fetch_add(work(i), std::memory_order_relaxed);
  }
#pragma omp taskwait
}

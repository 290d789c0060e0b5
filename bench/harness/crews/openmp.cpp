#include "bench/harness/problem.hpp"

void bench::inside(unsigned workers, const std::function<void()>& work) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  work();
}

// Compiled with OpenMP, where there is one.
#include <omp.h>

#include <algorithm>

#include "workloads/mpi/mpi_part.hpp"

namespace nearfork::workloads {

void openmp_blocks(std::size_t first, std::size_t last, std::size_t block, const block_body& body) {
  const std::size_t blocks = (last - first + block - 1) / block;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t from = first + i * block;
    body(from, std::min(last, from + block));
  }
}

unsigned openmp_most_threads() {
  return static_cast<unsigned>(omp_get_max_threads());
}

}  // namespace nearfork::workloads

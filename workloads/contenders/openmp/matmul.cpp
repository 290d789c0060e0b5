#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

/// Each thread gets bands of rows, as high as a leaf of the tree.
void matmul_omp_static(matmul_instance& matmul, unsigned workers) {
  const std::size_t n = matmul.n();
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
  for (std::size_t row = 0; row < n; row += matmul_task::leaf)
    multiply(matmul.product(row, std::min(n, row + matmul_task::leaf)), serial_fork{});
}

void matmul_omp_tasks(matmul_instance& matmul, unsigned workers) {
  with_omp_crew(workers, [&] { multiply(matmul.product(0, matmul.n()), omp_fork{}); });
}

}  // namespace nearfork::workloads

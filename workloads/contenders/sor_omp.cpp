#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/omp_crew.hpp"
#include "workloads/contenders/row_tasks_omp.hpp"

namespace nearfork::workloads {

/// Each thread gets one contiguous part of the rows, the same in each iteration.
void sor_omp_static(sor_instance& sor, unsigned workers) {
  const row_task rows = sor.inner_rows();
  sor.iterate([&](const sor_step& step) {
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
    for (std::size_t row = rows.first; row < rows.last; ++row) sor_rows(step, row, row + 1);
  });
}

void sor_omp_tasks(sor_instance& sor, unsigned workers) {
  with_omp_crew(workers, [&] {
    sor.iterate([&](const sor_step& step) {
      omp_rows(sor.tree(), sor.inner_rows(), [&](std::size_t first, std::size_t last) { sor_rows(step, first, last); });
    });
  });
}

}  // namespace nearfork::workloads

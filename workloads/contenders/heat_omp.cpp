#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/omp_crew.hpp"
#include "workloads/contenders/row_tasks_omp.hpp"

namespace nearfork::workloads {

/// Each thread gets one contiguous part of the rows, the same in each iteration.
void heat_omp_static(heat_instance& heat, unsigned workers) {
  const row_task rows = heat.inner_rows();
  heat.iterate([&](const heat_step& step) {
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
    for (std::size_t row = rows.first; row < rows.last; ++row) heat_rows(step, row, row + 1);
  });
}

void heat_omp_tasks(heat_instance& heat, unsigned workers) {
  with_omp_crew(workers, [&] {
    heat.iterate([&](const heat_step& step) {
      omp_rows(heat.tree(), heat.inner_rows(),
               [&](std::size_t first, std::size_t last) { heat_rows(step, first, last); });
    });
  });
}

}  // namespace nearfork::workloads

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"
#include "workloads/contenders/openmp/slab_tasks.hpp"

namespace nearfork::workloads {

/// Each thread gets one contiguous part of the slabs, the same in each iteration that changes the same slabs.
void grid_omp_static(grid_instance& grid, unsigned workers) {
  grid.iterate([&](const grid_sweep& sweep) {
    const slab_range changed = grid.changes(sweep);
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
    for (std::size_t slab = changed.first; slab < changed.last; ++slab) grid.compute(sweep, slab, slab + 1);
  });
}

void grid_omp_tasks(grid_instance& grid, unsigned workers) {
  with_omp_crew(workers, [&] {
    grid.iterate([&](const grid_sweep& sweep) {
      omp_slabs(grid.tree(), grid.tree_root(),
                [&](std::size_t first, std::size_t last) { grid.compute(sweep, first, last); });
    });
  });
}

}  // namespace nearfork::workloads

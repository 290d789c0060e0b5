#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"
#include "workloads/contenders/onetbb/slab_tasks.hpp"

namespace nearfork::workloads {
namespace {

/// oneTBB's loop for repeated sweeps over the same data: each thread gets the slabs that it had before.
void by_loop(grid_instance& grid) {
  tbb::affinity_partitioner same_place;
  grid.iterate([&](const grid_sweep& sweep) {
    const slab_range changed = grid.changes(sweep);
    const tbb::blocked_range<std::size_t> slabs(changed.first, changed.last, leaf_slabs);
    tbb::parallel_for(slabs, [&](const auto& part) { grid.compute(sweep, part.begin(), part.end()); }, same_place);
  });
}

void by_tree(grid_instance& grid) {
  grid.iterate([&](const grid_sweep& sweep) {
    tbb_slabs(grid.tree(), grid.tree_root(),
              [&](std::size_t first, std::size_t last) { grid.compute(sweep, first, last); });
  });
}

}  // namespace

void grid_tbb(grid_instance& grid, unsigned workers) {
  with_tbb_crew(workers, [&] {
    if (grid.tree().shape() == tree_shape::regular) by_loop(grid);
    else by_tree(grid);
  });
}

}  // namespace nearfork::workloads

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/row_tasks_tbb.hpp"
#include "workloads/contenders/tbb_crew.hpp"

namespace nearfork::workloads {
namespace {

/// What oneTBB has for loops that recur over the same data: each thread gets the rows that it had before.
void by_loop(heat_instance& heat) {
  tbb::affinity_partitioner same_place;
  heat.iterate([&](const heat_step& step) {
    const tbb::blocked_range<std::size_t> rows(heat.inner_rows().first, heat.inner_rows().last, leaf_rows);
    tbb::parallel_for(rows, [&](const auto& part) { heat_rows(step, part.begin(), part.end()); }, same_place);
  });
}

void by_tree(heat_instance& heat) {
  heat.iterate([&](const heat_step& step) {
    tbb_rows(heat.tree(), heat.inner_rows(),
             [&](std::size_t first, std::size_t last) { heat_rows(step, first, last); });
  });
}

}  // namespace

void heat_tbb(heat_instance& heat, unsigned workers) {
  with_tbb_crew(workers, [&] {
    if (heat.tree().shape() == tree_shape::regular) by_loop(heat);
    else by_tree(heat);
  });
}

}  // namespace nearfork::workloads

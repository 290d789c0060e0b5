#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/row_tasks_tbb.hpp"
#include "workloads/contenders/tbb_crew.hpp"

namespace nearfork::workloads {
namespace {

/// What oneTBB has for loops that recur over the same data: each thread gets the rows that it had before.
void by_loop(sor_instance& sor) {
  tbb::affinity_partitioner same_place;
  sor.iterate([&](const sor_step& step) {
    const tbb::blocked_range<std::size_t> rows(sor.inner_rows().first, sor.inner_rows().last, leaf_rows);
    tbb::parallel_for(rows, [&](const auto& part) { sor_rows(step, part.begin(), part.end()); }, same_place);
  });
}

void by_tree(sor_instance& sor) {
  sor.iterate([&](const sor_step& step) {
    tbb_rows(sor.tree(), sor.inner_rows(), [&](std::size_t first, std::size_t last) { sor_rows(step, first, last); });
  });
}

}  // namespace

void sor_tbb(sor_instance& sor, unsigned workers) {
  with_tbb_crew(workers, [&] {
    if (sor.tree().shape() == tree_shape::regular) by_loop(sor);
    else by_tree(sor);
  });
}

}  // namespace nearfork::workloads

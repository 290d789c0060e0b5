#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

void mergesort_omp_tasks(mergesort_instance& sort, unsigned workers) {
  with_omp_crew(workers, [&] { sort.run_with(omp_fork{}); });
}

}  // namespace nearfork::workloads

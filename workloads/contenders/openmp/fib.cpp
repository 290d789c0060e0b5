#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

void fib_omp_tasks(fib_instance& fib, unsigned workers) {
  with_omp_crew(workers, [&] { fib.run_with(omp_fork{}); });
}

}  // namespace nearfork::workloads

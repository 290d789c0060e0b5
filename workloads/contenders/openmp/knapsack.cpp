#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

void knapsack_omp_tasks(knapsack_instance& knapsack, unsigned workers) {
  with_omp_crew(workers, [&] { knapsack.run_with(omp_fork{}); });
}

}  // namespace nearfork::workloads

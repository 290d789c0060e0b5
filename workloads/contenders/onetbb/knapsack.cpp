#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void knapsack_tbb(knapsack_instance& knapsack, unsigned workers) {
  with_tbb_crew(workers, [&] { knapsack.run_with(tbb_fork{}); });
}

}  // namespace nearfork::workloads

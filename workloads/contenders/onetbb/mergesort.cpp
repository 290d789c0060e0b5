#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void mergesort_tbb(mergesort_instance& sort, unsigned workers) {
  with_tbb_crew(workers, [&] { sort.run_with(tbb_fork{}); });
}

}  // namespace nearfork::workloads

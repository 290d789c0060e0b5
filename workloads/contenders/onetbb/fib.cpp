#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void fib_tbb(fib_instance& fib, unsigned workers) {
  with_tbb_crew(workers, [&] { fib.run_with(tbb_fork{}); });
}

}  // namespace nearfork::workloads

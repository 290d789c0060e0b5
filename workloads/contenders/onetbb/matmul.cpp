#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void matmul_tbb(matmul_instance& matmul, unsigned workers) {
  with_tbb_crew(workers, [&] { multiply(matmul.product(0, matmul.n()), tbb_fork{}); });
}

}  // namespace nearfork::workloads

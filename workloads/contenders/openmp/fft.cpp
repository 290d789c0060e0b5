#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

void fft_omp_tasks(fft_instance& fft, unsigned workers) {
  with_omp_crew(workers, [&] { fft.run_with(omp_fork{}); });
}

}  // namespace nearfork::workloads

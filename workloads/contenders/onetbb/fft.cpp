#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void fft_tbb(fft_instance& fft, unsigned workers) {
  with_tbb_crew(workers, [&] { fft.run_with(tbb_fork{}); });
}

}  // namespace nearfork::workloads

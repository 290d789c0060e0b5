#include <algorithm>

#include "workloads/contenders/by_workload.hpp"

namespace nearfork::workloads {

void set_up_omp(instance& problem, unsigned workers) {
  problem.reset_by([workers](std::size_t count, const range_body& body) {
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
    for (std::size_t part = 0; part < workers; ++part) body(count * part / workers, count * (part + 1) / workers);
  });
}

}  // namespace nearfork::workloads

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void set_up_tbb(instance& problem, unsigned workers) {
  with_tbb_crew(workers, [&] {
    problem.reset_by([](std::size_t count, const range_body& body) {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, count), [&](const auto& part) { body(part.begin(), part.end()); },
          tbb::static_partitioner());
    });
  });
}

}  // namespace nearfork::workloads

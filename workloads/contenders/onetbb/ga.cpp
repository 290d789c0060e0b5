#include <oneapi/tbb/parallel_for.h>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void ga_tbb(ga_instance& ga, unsigned workers) {
  with_tbb_crew(workers, [&] {
    ga.iterate([&] { tbb::parallel_for(std::size_t{0}, ga.islands(), [&](std::size_t i) { ga.evolve_one(i); }); });
  });
}

}  // namespace nearfork::workloads

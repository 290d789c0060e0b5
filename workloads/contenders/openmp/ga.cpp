#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

void ga_omp_static(ga_instance& ga, unsigned workers) {
  const std::size_t islands = ga.islands();
  ga.iterate([&] {
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
    for (std::size_t i = 0; i < islands; ++i) ga.evolve_one(i);
  });
}

void ga_omp_tasks(ga_instance& ga, unsigned workers) {
  with_omp_crew(workers, [&] {
    ga.iterate([&] {
      for (std::size_t i = 0; i < ga.islands(); ++i) {
#pragma omp task default(shared) firstprivate(i)
        ga.evolve_one(i);
      }
#pragma omp taskwait
    });
  });
}

}  // namespace nearfork::workloads

#include <vector>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

/// The list items of `depend` are the first bytes of what a task uses: they must be the same or disjoint.
void flow_omp_tasks(flow_instance& flow, unsigned workers) {
  with_omp_crew(workers, [&] {
    std::vector<flow_use> uses;
    std::vector<std::byte*> read, written;
    flow.begin();
    for (std::uint32_t task = 0; task < flow.tasks(); ++task) {
      if (flow.is_left_out(task)) continue;
      flow.gather_uses(task, uses);
      read.clear();
      written.clear();
      for (const flow_use& one : uses) (one.writes ? written : read).push_back(one.data);
      std::byte* const* const from = read.data();
      std::byte* const* const to = written.data();
      const auto reads = static_cast<int>(read.size());
      const auto writes = static_cast<int>(written.size());
#pragma omp task default(shared) firstprivate(task) depend(iterator(int i = 0 : reads), in : *from[i]) \
    depend(iterator(int i = 0 : writes), inout : *to[i])
      flow.compute(task);
    }
#pragma omp taskwait
  });
}

}  // namespace nearfork::workloads

// Other runtimes' ways to run the workloads: the same kernels and trees under oneTBB and OpenMP.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/instance.hpp"

namespace nearfork::workloads {

struct contender {
  std::string_view workload;
  std::string_view name;   // "tbb", "omp-static", "omp-tasks"
  std::string_view label;  // "oneTBB", ...
  /// Runs an instance of the workload with so many threads, the caller being one of them.
  void (*run)(instance& problem, unsigned workers);
};

/// Those that this build has, in the order in which they are shown.
[[nodiscard]] std::vector<contender> contenders_of(std::string_view workload);

/// The names that a contender may have, also where this build lacks it.
[[nodiscard]] std::vector<std::string_view> contender_names();

/// For contenders.cpp, in files that are compiled where the library is there.
[[nodiscard]] const std::vector<contender>& tbb_contenders();
[[nodiscard]] const std::vector<contender>& omp_contenders();

/// A contender's run from one for the workload's own type.
template <class Instance, void (*Run)(Instance&, unsigned)>
void run_as(instance& problem, unsigned workers) {
  Run(dynamic_cast<Instance&>(problem), workers);
}

}  // namespace nearfork::workloads

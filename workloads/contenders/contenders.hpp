// The workloads under other runtimes: the same kernels and trees under oneTBB and OpenMP.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/instance.hpp"

namespace nearfork::workloads {

struct contender {
  std::string_view workload;
  std::string_view name;   // "tbb", "omp-static", "omp-tasks"
  std::string_view label;  // "oneTBB", ...
  /// Runs an instance of the workload with this many threads, of which the caller is one.
  void (*run)(instance& problem, unsigned workers);
  /// Calls instance::reset_by() with a loop of this runtime.
  void (*reset)(instance& problem, unsigned workers);
};

/// The contenders of this build, in the order in which they are shown.
[[nodiscard]] std::vector<contender> contenders_of(std::string_view workload);

/// All names of contenders, also of those that this build lacks.
[[nodiscard]] std::vector<std::string_view> contender_names();

/// For contenders.cpp; defined in files that are compiled if the library is installed.
[[nodiscard]] const std::vector<contender>& tbb_contenders();
[[nodiscard]] const std::vector<contender>& omp_contenders();

/// Makes a contender's run function of one for the workload's own type.
template <class Instance, void (*Run)(Instance&, unsigned)>
void run_as(instance& problem, unsigned workers) {
  Run(dynamic_cast<Instance&>(problem), workers);
}

}  // namespace nearfork::workloads

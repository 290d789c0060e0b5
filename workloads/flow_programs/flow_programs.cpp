#include "workloads/flow_programs/flow_programs.hpp"

#include "workloads/flow_programs/bitonic.hpp"
#include "workloads/flow_programs/blur_roberts.hpp"
#include "workloads/flow_programs/factorisations.hpp"
#include "workloads/flow_programs/kmeans.hpp"
#include "workloads/flow_programs/smith_waterman.hpp"
#include "workloads/flow_programs/stencil_program.hpp"

namespace nearfork::workloads {

const std::vector<workload>& flow_workloads() {
  static const std::vector<workload> all = [] {
    std::vector<workload> made;
    for (const auto program : {stencil_flow_workloads, blur_roberts_workloads, bitonic_workloads, kmeans_workloads,
                               cholesky_workloads, lu_workloads, smith_waterman_workloads}) {
      const auto both = program();
      made.insert(made.end(), both.begin(), both.end());
    }
    return made;
  }();
  return all;
}

}  // namespace nearfork::workloads

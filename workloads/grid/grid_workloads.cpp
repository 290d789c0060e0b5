#include "workloads/grid/grid_program.hpp"
#include "workloads/heat/heat.hpp"
#include "workloads/sor/sor.hpp"

namespace nearfork::workloads {

const std::vector<workload>& grid_workloads() {
  static const std::vector<workload> all = [] {
    std::vector<workload> made;
    for (const auto program : {heat_program, sor_program})
      for (const auto shape : {tree_shape::regular, tree_shape::irregular})
        made.push_back(grid_workload(program(), shape));
    return made;
  }();
  return all;
}

}  // namespace nearfork::workloads

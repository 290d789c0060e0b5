#include "workloads/conv/conv.hpp"
#include "workloads/ge/ge.hpp"
#include "workloads/grid/grid_program.hpp"
#include "workloads/heat/heat.hpp"
#include "workloads/nine_point/nine_point.hpp"
#include "workloads/six_point/six_point.hpp"
#include "workloads/sor/sor.hpp"
#include "workloads/twenty_five_point/twenty_five_point.hpp"

namespace nearfork::workloads {

const std::vector<workload>& grid_workloads() {
  static const std::vector<workload> all = [] {
    std::vector<workload> made;
    for (const auto program : {heat_program, sor_program, ge_program, conv_program, nine_point_program,
                               six_point_program, twenty_five_point_program})
      for (const auto shape : {tree_shape::regular, tree_shape::irregular})
        made.push_back(grid_workload(program(), shape));
    return made;
  }();
  return all;
}

}  // namespace nearfork::workloads

#include "workloads/heat/heat.hpp"

#include "workloads/grid/stencil.hpp"

namespace nearfork::workloads {
namespace {

struct heat {
  static constexpr std::string_view name = "heat";
  static constexpr std::string_view description = "five-point heat distribution, two buffers";
  static constexpr unsigned dimensions = 2;
  static constexpr std::size_t radius = 1;
  static constexpr grid_order order = grid_order::two_buffers;
  static constexpr std::uint64_t default_iterations = 200;
  static constexpr row_kernel compute_row = heat_row;

  static double next(const neighbourhood& at) {
    return (1 - 4 * heat_flow) * at(0, 0) + heat_flow * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1));
  }
};

}  // namespace

const grid_program& heat_program() {
  return stencil_program<heat>();
}

}  // namespace nearfork::workloads

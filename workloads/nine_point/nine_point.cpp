#include "workloads/nine_point/nine_point.hpp"

#include "workloads/grid/stencil.hpp"

namespace nearfork::workloads {
namespace {

struct nine_point {
  static constexpr std::string_view name = "9p";
  static constexpr std::string_view description = "nine-point stencil in two dimensions, two buffers";
  static constexpr unsigned dimensions = 2;
  static constexpr std::size_t radius = 1;
  static constexpr grid_order order = grid_order::two_buffers;
  static constexpr std::uint64_t default_iterations = 150;
  static constexpr row_kernel compute_row = nine_point_row;

  static double next(const neighbourhood& at) {
    const double edges = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
    const double corners = at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1);
    return (1 - 20 * nine_point_flow) * at(0, 0) + 4 * nine_point_flow * edges + nine_point_flow * corners;
  }
};

}  // namespace

const grid_program& nine_point_program() {
  return stencil_program<nine_point>();
}

}  // namespace nearfork::workloads

#include "workloads/twenty_five_point/twenty_five_point.hpp"

#include "workloads/grid/stencil.hpp"

namespace nearfork::workloads {
namespace {

struct twenty_five_point {
  static constexpr std::string_view name = "25p";
  static constexpr std::string_view description = "twenty-five-point stencil in three dimensions, two buffers";
  static constexpr unsigned dimensions = 3;
  static constexpr std::size_t radius = star_reach;
  static constexpr grid_order order = grid_order::two_buffers;
  static constexpr std::uint64_t default_iterations = 80;
  static constexpr row_kernel compute_row = twenty_five_point_row;

  static double next(const neighbourhood& at) {
    double laplacian = 3 * second_derivative[0] * at(0, 0, 0);
    for (std::ptrdiff_t far = 1; far <= std::ptrdiff_t{star_reach}; ++far)
      laplacian += second_derivative[static_cast<std::size_t>(far)] *
                   (at(-far, 0, 0) + at(far, 0, 0) + at(0, -far, 0) + at(0, far, 0) + at(0, 0, -far) + at(0, 0, far));
    return at(0, 0, 0) + star_flow * laplacian;
  }
};

}  // namespace

const grid_program& twenty_five_point_program() {
  return stencil_program<twenty_five_point>();
}

}  // namespace nearfork::workloads

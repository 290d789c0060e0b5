#include "workloads/six_point/six_point.hpp"

#include "workloads/grid/stencil.hpp"

namespace nearfork::workloads {
namespace {

struct six_point {
  static constexpr std::string_view name = "6p";
  static constexpr std::string_view description = "six-point stencil in three dimensions, two buffers";
  static constexpr unsigned dimensions = 3;
  static constexpr std::size_t radius = 1;
  static constexpr grid_order order = grid_order::two_buffers;
  static constexpr std::uint64_t default_iterations = 150;
  static constexpr row_kernel compute_row = six_point_row;

  static double next(const neighbourhood& at) {
    return (at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1)) / 6;
  }
};

}  // namespace

const grid_program& six_point_program() {
  return stencil_program<six_point>();
}

}  // namespace nearfork::workloads

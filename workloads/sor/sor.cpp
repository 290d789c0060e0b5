#include "workloads/sor/sor.hpp"

#include "workloads/grid/stencil.hpp"

namespace nearfork::workloads {
namespace {

struct sor {
  static constexpr std::string_view name = "sor";
  static constexpr std::string_view description = "successive over-relaxation, red-black";
  static constexpr unsigned dimensions = 2;
  static constexpr std::size_t radius = 1;
  static constexpr grid_order order = grid_order::red_black;
  static constexpr std::uint64_t default_iterations = 100;
  static constexpr row_kernel compute_row = sor_row;

  static double next(const neighbourhood& at) {
    return (1 - sor_factor) * at(0, 0) + sor_factor * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4;
  }
};

}  // namespace

const grid_program& sor_program() {
  return stencil_program<sor>();
}

}  // namespace nearfork::workloads

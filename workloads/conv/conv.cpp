#include "workloads/conv/conv.hpp"

#include "workloads/grid/stencil.hpp"

namespace nearfork::workloads {
namespace {

struct conv {
  static constexpr std::string_view name = "conv";
  static constexpr std::string_view description = "convolution with a filter of 5 x 5, two buffers";
  static constexpr unsigned dimensions = 2;
  static constexpr std::size_t radius = conv_radius;
  static constexpr grid_order order = grid_order::two_buffers;
  static constexpr std::uint64_t default_iterations = 100;
  static constexpr row_kernel compute_row = conv_row;

  static double next(const neighbourhood& at) {
    constexpr auto reach = static_cast<std::ptrdiff_t>(conv_radius);
    double sum = 0;
    for (std::ptrdiff_t row = -reach; row <= reach; ++row)
      for (std::ptrdiff_t column = -reach; column <= reach; ++column)
        sum += conv_filter[static_cast<std::size_t>(row + reach)][static_cast<std::size_t>(column + reach)] *
               at(row, column);
    return sum;
  }
};

}  // namespace

const grid_program& conv_program() {
  return stencil_program<conv>();
}

}  // namespace nearfork::workloads

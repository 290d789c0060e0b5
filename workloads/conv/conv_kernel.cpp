#include "workloads/conv/conv.hpp"

namespace nearfork::workloads {
namespace {

/// What one row of the filter makes of the cells around `cell`.
double filtered(const std::array<double, conv_width>& factors, const double* cell) noexcept {
  return factors[0] * cell[-2] + factors[1] * cell[-1] + factors[2] * cell[0] + factors[3] * cell[1] +
         factors[4] * cell[2];
}

}  // namespace

/// The rows are written out, because gcc vectorises no loop that holds another one.
void conv_row(const double* from, double* __restrict to, const grid_extent& extent, std::size_t first,
              std::size_t last) noexcept {
  const std::size_t row = extent.columns;
  const double* const above2 = from - 2 * row;
  const double* const above = from - row;
  const double* const below = from + row;
  const double* const below2 = from + 2 * row;
  for (std::size_t x = first; x < last; ++x)
    to[x] = filtered(conv_filter[0], above2 + x) + filtered(conv_filter[1], above + x) +
            filtered(conv_filter[2], from + x) + filtered(conv_filter[3], below + x) +
            filtered(conv_filter[4], below2 + x);
}

}  // namespace nearfork::workloads

#include "workloads/flow_blocks/image_filters.hpp"

#include <cmath>

namespace nearfork::workloads {
namespace {

double cross(double at, double right, double below, double right_below) {
  const double falling = at - right_below, rising = right - below;
  return std::sqrt(falling * falling + rising * rising);
}

}  // namespace

void blur_row(const std::array<const double*, 3>& rows, double* __restrict to, std::size_t count) noexcept {
  const double* const above = rows[0];
  const double* const at = rows[1];
  const double* const below = rows[2];
  const auto begin = static_cast<std::ptrdiff_t>(0), end = static_cast<std::ptrdiff_t>(count);
  for (std::ptrdiff_t x = begin; x < end; ++x)
    to[x] = (above[x - 1] + 2 * above[x] + above[x + 1] + 2 * at[x - 1] + 4 * at[x] + 2 * at[x + 1] + below[x - 1] +
             2 * below[x] + below[x + 1]) /
            16;
}

void roberts_row(const double* row, const double* below, double after, double after_below, double* __restrict to,
                 std::size_t count) noexcept {
  for (std::size_t x = 0; x + 1 < count; ++x) to[x] = cross(row[x], row[x + 1], below[x], below[x + 1]);
  to[count - 1] = cross(row[count - 1], after, below[count - 1], after_below);
}

}  // namespace nearfork::workloads

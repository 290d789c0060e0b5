#include <algorithm>
#include <span>

#include <nearfork/hints.hpp>

#include "workloads/ge/ge.hpp"

namespace nearfork::workloads {

namespace {

/// Hints the pivot's row, and rows [first, last), both from the pivot's column on.
void hint_rows(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = sweep.extent.columns;
  const std::size_t left = width - sweep.iteration;
  const double* const corner = sweep.to + sweep.iteration;
  reads(std::span(corner + sweep.iteration * width, left));
  reads(std::span(corner + first * width, left), last - first, width);
  writes(std::span(corner + first * width, left), last - first, width);
}

}  // namespace

void ge_rows(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept {
  const std::size_t width = sweep.extent.columns;
  const std::size_t pivot = sweep.iteration;
  const double* const above = sweep.to + pivot * width;
  first = std::max(first, pivot + 1);
  if (first >= last) return;
  hint_rows(sweep, first, last);
  for (std::size_t row = first; row < last; ++row) {
    double* __restrict const here = sweep.to + row * width;
    here[pivot] /= above[pivot];
    const double factor = here[pivot];
    for (std::size_t x = pivot + 1; x < width; ++x) here[x] -= factor * above[x];
  }
}

}  // namespace nearfork::workloads

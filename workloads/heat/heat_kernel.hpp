#pragma once

#include <cstddef>

namespace nearfork::workloads {

/// Each cell moves towards the mean of its neighbours by four times this; below 1/4 the scheme is stable.
inline constexpr double heat_flow = 0.2;

/// Two grids of `columns` cells per row: what is, and where what comes goes.
struct heat_step {
  const double* from;
  double* to;
  std::size_t columns;
};

/// Computes rows [first, last) but for their first and last cell. In a file of its own, so that all contenders run the
/// same code.
void heat_rows(const heat_step& step, std::size_t first, std::size_t last) noexcept;

}  // namespace nearfork::workloads

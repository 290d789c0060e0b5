// Two filters over rows of an image, in a file of their own, so that all contenders run the same code.
#pragma once

#include <array>
#include <cstddef>

namespace nearfork::workloads {

/// A Gaussian blur over 3 x 3 elements. `rows`: above, at and below the row; element -1 and element `count` are read.
void blur_row(const std::array<const double*, 3>& rows, double* to, std::size_t count) noexcept;

/// The Roberts cross of each element, its right neighbour, the one below, and the one below at the right. Element
/// `count` of both rows is given apart.
void roberts_row(const double* row, const double* below, double after, double after_below, double* to,
                 std::size_t count) noexcept;

}  // namespace nearfork::workloads

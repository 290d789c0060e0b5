#pragma once

#include <vector>

#include "workloads/fft/fft.hpp"

namespace nearfork::workloads {

/// The same transform another way: iterative, in place after a bit reversal, with roots of its
/// own. The number of points is a power of two.
[[nodiscard]] std::vector<fft_point> iterative_fft(std::vector<fft_point> points);

}  // namespace nearfork::workloads

#pragma once

#include <vector>

#include "workloads/fft/fft.hpp"

namespace nearfork::workloads {

/// The same transform by another method: iterative, in place after a bit reversal, with its own roots. The number of
/// points must be a power of two.
[[nodiscard]] std::vector<fft_point> iterative_fft(std::vector<fft_point> points);

}  // namespace nearfork::workloads

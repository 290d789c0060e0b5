// In a file of its own, so that all contenders and the reference round in the same way.
#pragma once

#include <cstddef>

namespace nearfork::workloads {

/// Number of the centre that is nearest to the point; of several the first one. There is at least one.
[[nodiscard]] std::size_t nearest_centre(const float* point, const float* centres, std::size_t clusters,
                                         std::size_t dimensions) noexcept;

}  // namespace nearfork::workloads

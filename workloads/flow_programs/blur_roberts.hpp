#pragma once

#include <vector>

#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// An image is blurred, then its edges are found.
[[nodiscard]] std::vector<workload> blur_roberts_workloads();

}  // namespace nearfork::workloads

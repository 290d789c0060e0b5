#pragma once

#include <vector>

#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// A bitonic sorting network of blocks of 64-bit integers.
[[nodiscard]] std::vector<workload> bitonic_workloads();

}  // namespace nearfork::workloads

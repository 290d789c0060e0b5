#pragma once

#include <vector>

#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// Lloyd's algorithm: points go to their nearest centre, and centres to the middle of their points.
[[nodiscard]] std::vector<workload> kmeans_workloads();

}  // namespace nearfork::workloads

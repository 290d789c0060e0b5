#pragma once

#include <vector>

#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// The best local alignments of two texts, block by block of their table.
[[nodiscard]] std::vector<workload> smith_waterman_workloads();

}  // namespace nearfork::workloads

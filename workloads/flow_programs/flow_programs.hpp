// Dataflow programs: tasks that are ordered by their data.
#pragma once

#include <vector>

#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// Each program in two ways: "name" and "name-dsa".
[[nodiscard]] const std::vector<workload>& flow_workloads();

}  // namespace nearfork::workloads

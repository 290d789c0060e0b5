#pragma once

#include "workloads/flow_programs/flow_workload.hpp"

namespace nearfork::workloads {

/// jacobi-1d to jacobi-3d and seidel-1d to seidel-3d.
[[nodiscard]] std::vector<workload> stencil_flow_workloads();

}  // namespace nearfork::workloads

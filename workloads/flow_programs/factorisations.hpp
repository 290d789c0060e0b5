#pragma once

#include <vector>

#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// Of a positive definite matrix: a = l l^T.
[[nodiscard]] std::vector<workload> cholesky_workloads();
/// Of a matrix whose diagonal dominates, without pivots: a = l u.
[[nodiscard]] std::vector<workload> lu_workloads();

}  // namespace nearfork::workloads

#include "workloads/flow_programs/flow_workload.hpp"

namespace nearfork::workloads {

std::uint64_t flow_bytes(const flow_extent& extent) {
  constexpr double task_bytes = 256, value_bytes = 256;  // of the pattern, its lists, and what a graph keeps
  const double data = extent.blocks * extent.block_bytes * (3 + std::max(2.0, extent.arrays));
  const double sum = data + extent.tasks * (task_bytes + extent.values_of_task * value_bytes);
  constexpr double most = 0x1p63;
  return sum >= most ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(sum);
}

}  // namespace nearfork::workloads

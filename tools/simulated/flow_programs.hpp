// The patterns of dataflow programs as programs for the simulator, in the two ways of Drebes et al., "Scalable Task
// Parallelism for NUMA" (PACT 2016), section 4.3. The time of computation comes from counting operations.
//
// Simpler than real programs: a shared array is laid out block by block, so that no page holds parts of two blocks; its
// pages are interleaved over all nodes all the same. A part of a block is read from the block's beginning.
#pragma once

#include <cstdint>

#include "sim/dataflow/dataflow_program.hpp"
#include "tools/simulated/simulated_workload.hpp"
#include "workloads/dataflow/flow_pattern.hpp"

namespace nearfork::tools {

using workloads::flow_memory_use;

/// A finished program. Task numbers are those of the pattern.
[[nodiscard]] sim::dataflow_program flow_program(const workloads::flow_pattern& pattern, flow_memory_use use,
                                                 const computing_speed& speed);

}  // namespace nearfork::tools

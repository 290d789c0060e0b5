// What the benchmark's instances are made from beside their sizes: a graph from a file, and rules for their arrays.
#pragma once

#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "tools/bench/request.hpp"
#include "workloads/instance_input.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {

/// Reads the graph, if the request names one. Throws: nearfork::error if an option is wrong, or is for workloads none
/// of which runs.
[[nodiscard]] workloads::instance_input input_from(const bench_request& request,
                                                   const std::vector<sized_workload>& sized);

/// Throws: nearfork::error if `here` lacks the memory that --pages names.
void check_pages(const bench_request& request, const machine& here);

/// The size of an instance, and what else makes it: "node_bytes=16 iterations=2, graph web.mtx (9 nodes, 20 edges)".
[[nodiscard]] std::string problem_text(const sized_workload& one, const bench_request& request,
                                       const workloads::instance_input& input);

}  // namespace nearfork::tools

// Tables 1 and 2 of Drebes et al., "Scalable Task Parallelism for NUMA" (PACT 2016): the time of sweeps over memory of
// other nodes, on the models of the two machines.
#pragma once

#include <string>

#include "tools/output/result_table.hpp"

namespace nearfork::tools {

/// One core touches each line of 1 GiB once, on the node that is so far away.
[[nodiscard]] result_table latency_table();
/// How far the table's numbers are from the paper's.
[[nodiscard]] std::string latency_verdict(const result_table& table);

}  // namespace nearfork::tools

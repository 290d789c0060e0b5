// From the workers' logs of an iteration to its task graph.
#pragma once

#include "runtime/iteration_log.hpp"
#include "trace/recording.hpp"

namespace nearfork {

/// `log` must be whole(). Accesses keep their addresses. Linear in tasks and accesses.
[[nodiscard]] trace::task_graph assemble(const detail::iteration_log& log, double ns_per_tick);

}  // namespace nearfork

// What happens to the data of a task beside its call: memory for buffers that it writes, copies for reductions.
#pragma once

#include <nearfork/detail/dataflow/dataflow_task.hpp>

#include "base/ids.hpp"
#include "runtime/dataflow/task_web.hpp"
#include "runtime/pushing/flow_nodes.hpp"

namespace nearfork {

/// Before the call, by the worker that makes it, which is beside node `own`. `nodes`: nullptr if all workers are beside
/// one node. Throws std::bad_alloc; nearfork::error in strict mode.
void prepare_arguments(detail::dataflow_task& one, const task_web& web, flow_nodes* nodes, node_id own);
/// After the call, alone among the tasks that reduce into the same data. Throws what the operator throws.
void fold_copies(detail::dataflow_task& one);
/// Without folding.
void drop_copies(detail::dataflow_task& one) noexcept;

}  // namespace nearfork

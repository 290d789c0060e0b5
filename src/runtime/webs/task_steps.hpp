// What happens to the data of a task beside its call: memory for buffers that it writes, copies for reductions.
#pragma once

#include <cstdint>

#include <nearfork/detail/dataflow/dataflow_argument.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>

#include "base/ids.hpp"
#include "runtime/pushing/flow_nodes.hpp"
#include "runtime/webs/task_web.hpp"

namespace nearfork {

/// Calls use(copy, bytes) for each copy of a reduction that the task may have.
template <class Use>
void for_each_copy(detail::dataflow_task& one, const Use& use) {
  if (one.kind->arguments == nullptr) return;
  for (detail::dataflow_argument& each : one.kind->arguments(one))
    if (each.is == detail::dataflow_argument::content::copied) use(*each.copied, each.bytes);
}

/// A worker, and the memory node beside it.
struct task_runner {
  std::uint32_t worker;
  node_id node;
};
/// Before the call, by the worker that makes it. `nodes`: nullptr if all workers are beside one node. Throws
/// std::bad_alloc; nearfork::error in strict mode.
void prepare_arguments(detail::dataflow_task& one, const task_web& web, flow_nodes* nodes, const task_runner& by);
/// After the call, alone among the tasks that reduce into the same data. Throws what the operator throws.
void fold_copies(detail::dataflow_task& one);
/// Without folding. What others have added to a shared copy stays until the last of them leaves.
void drop_copies(detail::dataflow_task& one) noexcept;

}  // namespace nearfork

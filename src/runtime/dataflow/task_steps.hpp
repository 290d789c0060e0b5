// What happens to the data of a task beside its call: memory for buffers that it writes, copies for reductions.
#pragma once

#include <nearfork/detail/dataflow/dataflow_task.hpp>

namespace nearfork {

/// Before the call, by the worker that makes it. Throws std::bad_alloc.
void prepare_arguments(detail::dataflow_task& one);
/// After the call, alone among the tasks that reduce into the same data. Throws what the operator throws.
void fold_copies(detail::dataflow_task& one);
/// Without folding.
void drop_copies(detail::dataflow_task& one) noexcept;

}  // namespace nearfork

// The memory of a graph's buffers: taken once, from the pool of a node or from the heap.
#pragma once

#include <nearfork/detail/dataflow/buffer_state.hpp>

#include "base/ids.hpp"
#include "runtime/pushing/flow_nodes.hpp"

namespace nearfork {

/// Where workers are beside one node: the heap's. By the task that writes the buffer, when it starts. Throws
/// std::bad_alloc.
void take_memory(detail::buffer_state& of);
/// On `node`, unless the buffer has its memory. By the task that writes it, when it starts; with alloc=immediate, by
/// the creator of a task that reads it, too, perhaps at the same time. Throws std::bad_alloc; nearfork::error in strict
/// mode.
void take_memory_on(detail::buffer_state& of, flow_nodes& nodes, node_id node);

}  // namespace nearfork

// The records of a graph's buffers, and their memory: taken once, from the pool of a node or from the heap. Copies of
// reductions have theirs from the heap.
#pragma once

#include <cstddef>
#include <optional>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/dataflow/buffer_state.hpp>

#include "base/ids.hpp"
#include "runtime/pushing/flow_nodes.hpp"

namespace nearfork {

/// A buffer that the caller holds. `nodes`: nullptr if all workers are beside one memory node. Throws std::bad_alloc.
[[nodiscard]] detail::buffer_state& make_buffer_state(detail::graph_id graph, std::size_t bytes, std::size_t alignment,
                                                      const call_site& where, const flow_nodes* nodes);
/// Makes them if the buffer has none. Under the graph's lock. Throws std::bad_alloc.
detail::buffer_notes& notes_of(detail::buffer_state& of);
/// Of the heap, and small blocks near the calling thread. Throws std::bad_alloc.
[[nodiscard]] std::byte* take_data(std::size_t bytes, std::size_t alignment);
void give_data(std::byte* data, std::size_t bytes, std::size_t alignment) noexcept;
/// Of the buffer's memory; nullopt: not known.
[[nodiscard]] std::optional<node_id> node_of(detail::buffer_state& of) noexcept;

/// Where workers are beside one node. By the task that writes the buffer, when it starts. Throws std::bad_alloc.
void take_memory(detail::buffer_state& of);
/// On `node`, unless the buffer has its memory. By the task that writes it, when it starts; with alloc=immediate, by
/// the creator of a task that reads it, too, perhaps at the same time. Throws std::bad_alloc; nearfork::error in strict
/// mode.
void take_memory_on(detail::buffer_state& of, flow_nodes& nodes, node_id node);

}  // namespace nearfork

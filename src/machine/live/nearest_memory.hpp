// The memory of cores whose own node has none. hwloc leaves such nodes out, so the system is asked.
#pragma once

#include <optional>

#include "base/ids.hpp"
#include "machine/live/small_file.hpp"

namespace nearfork {

/// The system's number of the node with memory that is nearest to a PU, by the distances of the PU's own node. If
/// several nodes are equally near, it is the one that Linux takes first: Linux prefers nodes after the PU's own
/// (mm/page_alloc.c, find_next_best_node()). nullopt: the system does not say.
[[nodiscard]] std::optional<os_index> nearest_memory(os_index pu, const file_reader& read);

}  // namespace nearfork

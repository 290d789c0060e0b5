// The chunks that a region's data are cut into to be gauged, with their addresses.
#pragma once

#include <vector>

#include "memory/system/region_memory.hpp"
#include "plan/profile/gauging.hpp"
#include "sensors/hotness/heat_source.hpp"

namespace nearfork {

struct watched_chunks {
  std::vector<data_chunk> chunks{};        // without heat
  std::vector<address_range> addresses{};  // of each chunk; they ascend
};

/// Chunks are as large as machine/nodes/chunk_sample.hpp says. They keep huge pages whole, and end where the node
/// changes. Linear in chunks.
[[nodiscard]] watched_chunks chunks_of(const data_layout& data);

}  // namespace nearfork

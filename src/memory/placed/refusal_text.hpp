// Texts for what the system refused.
#pragma once

#include <string>

#include "memory/blocks/placed_block.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

/// "a placed block of 4096 bytes"
[[nodiscard]] std::string named(const placed_block& block);
[[nodiscard]] memory_shortfall binding_refused(int error_number);
[[nodiscard]] memory_shortfall moving_refused(int error_number);
/// The shortfall of a node whose memory has gone offline, or is no longer this process's.
[[nodiscard]] memory_shortfall node_withdrawn(int os_node, int error_number);

}  // namespace nearfork

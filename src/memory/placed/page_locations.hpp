// Where pages lie now, as the system tells.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/memory_map.hpp>

#include "memory/blocks/placed_block.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {

/// So many pages at a time are asked for and moved: 2 MiB of small ones take the kernel about a millisecond, and so
/// long does a thread that allocates or frees wait at most.
inline constexpr std::uint64_t pages_of_batch = 512;

/// Untouched pages lie nowhere.
[[nodiscard]] memory_map locate(const os_memory& system, const void* begin, std::size_t bytes);

/// A node, by both of its numbers.
struct numbered_node {
  node_id id{};
  os_index os{};
};

/// How much of what `runs` gives to the node lies there already.
[[nodiscard]] std::uint64_t bytes_there(const os_memory& system, const placed_block& block, const page_split& runs,
                                        numbered_node node);

}  // namespace nearfork

// What the kernel says of its memory nodes in /sys: beside our own reading of the machine, which is what the lab
// checks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace nearfork::lab {

/// The system's numbers of the nodes that have memory, ascending.
[[nodiscard]] std::vector<unsigned> nodes_with_memory();
/// Between two nodes, as firmware says; 10 is local.
[[nodiscard]] unsigned distance_between(unsigned from, unsigned to);
[[nodiscard]] std::uint64_t capacity_bytes(unsigned node);
/// Free at this moment, without what the kernel could drop.
[[nodiscard]] std::uint64_t free_bytes(unsigned node);
/// From the nearest cores; nothing: firmware does not say.
[[nodiscard]] std::optional<std::uint64_t> bandwidth_mib_per_s(unsigned node);
/// Sets how many pages in turn a node gets where the kernel interleaves by weight. False: this kernel cannot.
bool set_interleave_weight(unsigned node, unsigned weight);

}  // namespace nearfork::lab

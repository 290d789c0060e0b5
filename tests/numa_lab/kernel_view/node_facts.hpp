// What the kernel says about its memory nodes in /sys, independent of our own reading of the machine, which the lab
// checks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace nearfork::lab {

/// The system's numbers of the nodes that have memory, ascending.
[[nodiscard]] std::vector<unsigned> nodes_with_memory();
/// The distance of two nodes, as firmware says; 10 is local.
[[nodiscard]] unsigned distance_between(unsigned from, unsigned to);
[[nodiscard]] std::uint64_t capacity_bytes(unsigned node);
/// Free bytes at this moment, without what the kernel could drop.
[[nodiscard]] std::uint64_t free_bytes(unsigned node);
/// The bandwidth from the nearest cores; nullopt if firmware does not say.
[[nodiscard]] std::optional<std::uint64_t> bandwidth_mib_per_s(unsigned node);
/// Sets how many pages a node gets per turn where the kernel interleaves by weight. False if this kernel cannot.
bool set_interleave_weight(unsigned node, unsigned weight);

}  // namespace nearfork::lab

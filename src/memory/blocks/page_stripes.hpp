// Pages dealt out to nodes in turn, in stripes: pure numbers, no memory.
//
// The kernel can do that page by page (weighted interleave, Linux 6.9), but has one set of weights for the whole system. What
// we do with mbind costs a mapping for each stripe, of which a process may have 65530 (vm.max_map_count), so stripes are as
// small as their number allows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "memory/blocks/page_split.hpp"

namespace nearfork {

inline constexpr std::uint64_t most_stripes = 256;  // of a block
inline constexpr std::uint32_t most_turns = 32;     // after which the order of nodes begins anew

/// The order in which nodes get a stripe: each as often as its weight says, to a 32nd, and as evenly as that goes.
/// Throws nearfork::error: see borders_by_weight(). O(nodes).
[[nodiscard]] std::vector<node_id> turns_by_weight(std::span<const node_id> nodes, std::span<const double> weights);

/// Pages of a stripe: a multiple of the block's unit.
[[nodiscard]] std::uint64_t pages_of_stripe(const block_extent& block) noexcept;

/// Adds the pages of `part` at the end of a split, on the nodes whose turn it is. A page's turn depends on the block's size and
/// its own place in it alone, so it stays where it is when the borders of parts move.
void deal_out(page_split& to, const block_extent& block, const page_run& part, std::span<const node_id> turns);

}  // namespace nearfork

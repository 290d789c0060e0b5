// Pages that are dealt out to nodes in turn, in stripes. Pure numbers, no memory.
//
// The kernel can do this page by page (weighted interleave, Linux 6.9), but has one set of weights for the whole
// system. With mbind each stripe costs a mapping, of which a process may have 65530 (vm.max_map_count). So stripes are
// as small as their number allows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "machine/nodes/page_split.hpp"

namespace nearfork {

inline constexpr std::uint64_t most_stripes = 256;  // in one block

/// The order in which nodes get stripes, as evenly as possible: a cycle in which each node comes as often as its weight
/// says. If no cycle of 128 turns, or of four for each node if that is more, is exact, a node comes less than once too
/// often or too seldom in the longest.
/// Throws: nearfork::error as borders_by_weight(). O(nodes * turns).
[[nodiscard]] std::vector<node_id> turns_by_weight(std::span<const node_id> nodes, std::span<const double> weights);

/// The number of pages in a stripe: a multiple of the block's unit.
[[nodiscard]] std::uint64_t pages_of_stripe(const block_extent& block) noexcept;

/// The nodes near one another that share the pages meant for one of them, in turn.
struct node_turns {
  node_id of{};
  std::vector<node_id> turns{};  // as turns_by_weight() gives them
  friend bool operator==(const node_turns&, const node_turns&) = default;
};

/// Appends the pages of `part` to a split, each on the node whose turn it is. A page's turn depends only on the block's
/// size and the page's position in the block. So the page stays on its node when the borders of parts move.
void deal_out(page_split& to, const block_extent& block, const page_run& part, std::span<const node_id> turns);
/// The split with the pages of each node that has turns dealt out. O(runs and stripes).
[[nodiscard]] page_split dealt_out(const page_split& split, const block_extent& block,
                                   std::span<const node_turns> turns);

}  // namespace nearfork

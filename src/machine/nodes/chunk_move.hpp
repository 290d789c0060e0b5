// Pages of one block that shall lie elsewhere than the rest of their part. Pure numbers, no memory.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "machine/nodes/page_split.hpp"

namespace nearfork {

struct chunk_move {
  /// The block's number: threads count all blocks ever made, the simulator the arrays that follow plans.
  std::uint64_t block = 0;
  std::uint64_t begin = 0;  // pages of the block
  std::uint64_t end = 0;    // exclusive
  node_id to{};
  friend constexpr bool operator==(const chunk_move&, const chunk_move&) = default;
};

/// `split`, with the pages of the block's chunks where the moves say. Pages beyond the split's end do not count. Moves
/// of one block ascend. O(split + moves).
[[nodiscard]] page_split with_moves(const page_split& split, std::uint64_t block, std::span<const chunk_move> moves);

}  // namespace nearfork

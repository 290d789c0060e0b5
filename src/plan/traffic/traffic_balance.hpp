// Which chunks of data move to which memory nodes, so that each node has as many accesses as its bandwidth stands for:
// BATS, Algorithm 1.
//
// As printed the algorithm replaces what remains to be moved by what was moved (line 12) and leaves out chunks that fit
// exactly (line 7); what a node has after a move is not counted. Here each move is subtracted from the giver and added
// to the taker, exact fits move, and a chunk for which the taker has no room goes to the next node that wants it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/profile/gauging.hpp"

namespace nearfork {

struct node_room_left {
  double bandwidth = 1;
  std::uint64_t free_pages = ~std::uint64_t{0};
};

/// One move for a chunk.
struct balanced_move {
  std::uint32_t chunk = 0;  // its index
  std::uint32_t to = 0;     // node
  friend constexpr bool operator==(balanced_move, balanced_move) = default;
};

struct traffic_balance {
  std::vector<balanced_move> moves{};
  std::vector<double> before{};  // accesses, by node
  std::vector<double> after{};
  std::vector<double> wanted{};    // by bandwidth
  std::uint64_t without_room = 0;  // chunks that a node would have taken if it had had room
};

/// `nodes`: by index, and chunk::node is such an index. Each chunk moves at most once; the sum over all nodes of
/// |accesses - wanted| never grows. O(chunks log chunks + moves * chunks of a node).
[[nodiscard]] traffic_balance balance_traffic(std::span<const data_chunk> chunks,
                                              std::span<const node_room_left> nodes);

}  // namespace nearfork

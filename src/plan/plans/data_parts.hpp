// Where the data of a region shall lie.
#pragma once

#include <vector>

#include "base/ids.hpp"
#include "machine/nodes/chunk_move.hpp"
#include "machine/nodes/page_stripes.hpp"

namespace nearfork {

struct data_parts {
  /// Part i of each block is [borders[i], borders[i + 1]), of 0 to 1. Empty: nothing is said.
  std::vector<double> borders{};
  /// The node of each part. Empty: part i is what domain i works on, and lies on that domain's node.
  std::vector<node_id> nodes{};
  /// Pages of a part whose node has turns are dealt out to several nodes.
  std::vector<node_turns> turns{};
  std::vector<chunk_move> moves{};  // as with_moves() takes them
  /// The part of each node's memory that nothing but moved chunks may take while other nodes have room; 0 to 1.
  double kept_free = 0;
  /// About how much of the data other parts hold before, if moving it may not pay; 0 to 1. See data_course.hpp.
  double moved_share = 0;
  friend bool operator==(const data_parts&, const data_parts&) = default;
};

}  // namespace nearfork

// How hot the data of a region are, gauged in one iteration: BATS, section 5.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace nearfork {

/// Pages of one block that are moved together: what one task of the initialisation allocated, or so many pages that a
/// region's data have some thousand chunks. BATS calls it a logical VMA.
struct data_chunk {
  std::uint64_t block = 0;  // its number, as in chunk_move
  std::uint64_t begin = 0;  // pages of the block
  std::uint64_t end = 0;    // exclusive
  node_id node{};           // where it lies, or will lie once plans are followed
  double heat = 0;          // accesses in the gauged iteration, estimated by a sample of its pages (BATS, Eq. 3)
  friend constexpr bool operator==(const data_chunk&, const data_chunk&) = default;
};

struct gauging {
  std::vector<data_chunk> chunks{};         // empty: nothing was gauged
  std::vector<std::uint64_t> free_pages{};  // by node; of nodes beyond the last one nothing is known
  friend bool operator==(const gauging&, const gauging&) = default;
};

}  // namespace nearfork

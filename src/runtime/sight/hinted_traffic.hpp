// Which bytes the tasks of an iteration say that they touch, by the domain that ran them, the block and the node.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/recording/iteration_log.hpp"
#include "runtime/sight/watched_blocks.hpp"

namespace nearfork {

struct hinted_traffic {
  std::map<std::uint64_t, std::vector<std::uint64_t>> of_block{};  // by watched_block::id, by domain: bytes
  std::vector<std::vector<std::uint64_t>> to_node{};               // by domain, by the node's number in the system
  std::uint64_t unplaced_bytes = 0;                                // on pages of which no node is known
};

/// Memory that hints name becomes watched. Linear in the hints.
void watch_hinted(detail::iteration_log& log, watched_blocks& into);

/// `domain_of_worker`: for each worker. Where pages of a block were not asked for, the nearest asked page before them
/// counts. Called after all tasks have ended. Linear in hints, and in the asked pages that each overlaps, up to 64.
[[nodiscard]] hinted_traffic traffic_of(detail::iteration_log& log, watched_blocks& blocks,
                                        const std::vector<std::uint32_t>& domain_of_worker, std::uint32_t domains);

}  // namespace nearfork

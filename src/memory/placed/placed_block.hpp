// The state of one placed block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/memory_options.hpp>

#include "memory/placed/block_registry.hpp"
#include "memory/placed/page_queue.hpp"
#include "memory/placed/page_split.hpp"

namespace nearfork {

/// The split of a block, as far as one was chosen.
struct block_split {
  page_split intended{};  // on the nodes that were meant
  page_split applied{};   // on the nodes that were available; empty: first touch
};

/// Pages [begin, end) lay on one node and were moved away from it.
struct page_move {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  int from = 0;  // the system's number
};

struct placed_block {
  block_id id{};
  std::byte* begin = nullptr;
  block_extent extent{};             // as the program asked for it
  std::uint64_t reserved_bytes = 0;  // of addresses
  memory_options options{};
  std::map<os_index, double> weights{};  // from the options, summed by node
  bool may_be_kept = false;              // when it is freed: the system refused nothing that the options asked
  std::vector<std::size_t> misses{};     // indices of placed_memory's shortfalls

  // --- for blocks that follow a plan ---
  block_split now{};
  block_split before{};          // the split before the last change
  page_queue unchecked{};        // pages that may have been touched before the change and may lie elsewhere
  bool looks_again = false;      // whether pages found untouched at the first look get another look
  page_split untouched{};        // pages found untouched; the next iteration looks at them again
  std::vector<page_move> log{};  // moves since the change, oldest first
  std::map<std::string, std::uint64_t, std::less<>> iterations{};  // iterations that ran while it lived, by region
  std::string leader{};                                            // the region whose plan it follows

  [[nodiscard]] bool follows_plans() const noexcept { return options.where.how == placing::rule::follow_plan; }
  [[nodiscard]] bool belongs_to(std::string_view region) const noexcept {
    return follows_plans() && (options.region.empty() || options.region == region);
  }
  [[nodiscard]] std::byte* page(std::uint64_t number) const noexcept { return begin + number * extent.page_bytes; }
};

}  // namespace nearfork

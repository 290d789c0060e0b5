// What is known of one placed block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/memory_options.hpp>

#include "machine/nodes/page_split.hpp"
#include "memory/blocks/block_registry.hpp"
#include "memory/blocks/page_queue.hpp"

namespace nearfork {

/// A block's split; empty where no split was asked for.
struct block_split {
  page_split intended{};  // on the nodes that were meant
  page_split applied{};   // on the nodes that had room; empty: first touch
};

/// Pages [begin, end) lay on one node and were moved away.
struct page_move {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  int from = 0;  // the system's number
};

struct placed_block {
  block_id id{};
  std::uint64_t made_as = 0;  // its place among all blocks that were ever made, from 1
  std::byte* begin = nullptr;
  block_extent extent{};             // as it was asked for
  std::uint64_t reserved_bytes = 0;  // of addresses
  memory_options options{};
  std::map<os_index, double> weights{};  // those of the options, summed by node: a program may give many for each
  bool may_be_kept = false;              // when it is freed: nothing that was asked of it was refused
  bool on_kept_pages = false;            // another block had them before
  bool is_offered = false;               // while it is kept: the system may take the pages
  std::uint64_t kept_as = 0;             // while it is kept: its place among all that were ever kept, from 1
  std::vector<std::size_t> misses{};     // by number in the shortfall_book

  // --- of blocks that follow a plan ---
  block_split now{};
  block_split before{};          // the last change
  page_queue unchecked{};        // may have been touched before the change, and lie elsewhere than it says
  bool looks_again = false;      // at pages that were untouched at the first look
  page_split untouched{};        // were so when they were looked at; the next iteration looks once more
  std::vector<page_move> log{};  // what was moved since the change, oldest first
  std::map<std::string, std::uint64_t, std::less<>> iterations{};  // that ran while it lived, by region
  std::string leader{};                                            // the region whose plan it follows

  [[nodiscard]] bool follows_plans() const noexcept { return options.where.how == placing::rule::follow_plan; }
  [[nodiscard]] bool belongs_to(std::string_view region) const noexcept {
    return follows_plans() && (options.region.empty() || options.region == region);
  }
  [[nodiscard]] std::byte* page(std::uint64_t number) const noexcept { return begin + number * extent.page_bytes; }
};

}  // namespace nearfork

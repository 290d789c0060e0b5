// Which pages of a block lie on which node. Pure numbers, no memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace nearfork {

/// Pages [begin, end) of a block, on one node.
struct page_run {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  node_id node{};
  friend constexpr bool operator==(const page_run&, const page_run&) = default;
};

/// Ascending runs without overlap; adjacent runs on one node are joined. The split of a whole block has no gaps. An
/// empty split says nothing: first touch decides.
using page_split = std::vector<page_run>;

/// The size of a block, in the units that splits use.
struct block_extent {
  std::uint64_t bytes = 0;
  std::uint64_t page_bytes = 1;
  std::uint64_t pages_of_unit = 1;  // borders lie at multiples of this, so that huge pages stay whole
  [[nodiscard]] constexpr std::uint64_t pages() const noexcept { return (bytes + page_bytes - 1) / page_bytes; }
};

/// Puts part i of the block, from borders[i] to borders[i + 1], on nodes[i]. Each border is moved to the nearest unit.
/// `borders` ascend from 0 to 1; there is one more of them than nodes. Blocks with the same borders are split alike.
[[nodiscard]] page_split split_at(const block_extent& block, std::span<const double> borders,
                                  std::span<const node_id> nodes);

/// Borders of parts that are as large as their weights (BATS, Eq. 1). Throws: nearfork::error if a weight is negative
/// or not a number, or if no weight is above 0.
[[nodiscard]] std::vector<double> borders_by_weight(std::span<const double> weights);

/// The pages that lie on another node under `after` than under `before`, with their node under `after`. All pages if
/// `before` is empty.
[[nodiscard]] page_split difference(const page_split& before, const page_split& after);

/// The part of `split` that covers the pages of `pages`. The nodes in `pages` do not matter.
[[nodiscard]] page_split part_of(const page_split& split, const page_split& pages);

/// The node of one page. The split must cover the page.
[[nodiscard]] node_id node_of(const page_split& split, std::uint64_t page) noexcept;

/// Adds pages that come after all of the list. Joins them to the last run if they continue it.
void append_run(page_split& to, page_run next);
/// Adds pages to an ascending list of joined runs. Pages that are in the list already get the new node.
void add_run(page_split& to, page_run added);

[[nodiscard]] std::uint64_t pages_in(const page_split& split) noexcept;

}  // namespace nearfork

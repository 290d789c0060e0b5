// Which pages of a block lie on which node: pure numbers, no memory.
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

/// Ascending, without overlap; neighbours on one node are one run. As the split of a block it has no gaps; where it is
/// empty, nobody has said anything and first touch decides.
using page_split = std::vector<page_run>;

/// A block's size, in what splits are counted in.
struct block_extent {
  std::uint64_t bytes = 0;
  std::uint64_t page_bytes = 1;
  std::uint64_t pages_of_unit = 1;  // borders lie at multiples of so many pages: huge pages stay whole
  [[nodiscard]] constexpr std::uint64_t pages() const noexcept { return (bytes + page_bytes - 1) / page_bytes; }
};

/// Part i, from borders[i] to borders[i + 1] of the block, on nodes[i]; each border at the unit that is nearest to it.
/// `borders` ascend from 0 to 1, one more than there are nodes. Blocks with the same borders are split alike.
[[nodiscard]] page_split split_at(const block_extent& block, std::span<const double> borders,
                                  std::span<const node_id> nodes);

/// Borders of parts as large as their weights (BATS, Eq. 1). Throws nearfork::error: a weight that is negative or not a
/// number, or none above 0.
[[nodiscard]] std::vector<double> borders_by_weight(std::span<const double> weights);

/// What lies elsewhere under `after` than under `before`, as `after` says. All of it where `before` is empty.
[[nodiscard]] page_split difference(const page_split& before, const page_split& after);

/// What `split` says of the pages of `pages`, whatever nodes these name.
[[nodiscard]] page_split part_of(const page_split& split, const page_split& pages);

/// The node of one page. The split must cover it.
[[nodiscard]] node_id node_of(const page_split& split, std::uint64_t page) noexcept;

/// Adds pages to a list of runs that stays ascending and joined up; pages that are there already get the new node.
void add_run(page_split& to, page_run added);

[[nodiscard]] std::uint64_t pages_in(const page_split& split) noexcept;

}  // namespace nearfork

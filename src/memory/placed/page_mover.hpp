// Moves the pages of blocks that follow a plan, in batches, and takes moves back.
//
// The lock of placed_memory guards it, and is held for one batch at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory/blocks/placed_block.hpp"
#include "memory/placed/node_shares.hpp"
#include "memory/placed/page_binder.hpp"
#include "memory/placed/shortfall_book.hpp"
#include "memory/system/machine_nodes.hpp"
#include "memory/system/os_memory.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

class page_mover {
 public:
  page_mover(os_memory& system, machine_nodes& nodes, shortfall_book& book, page_binder& binder, node_shares& shares)
      : system_(system), nodes_(nodes), book_(book), binder_(binder), shares_(shares) {}

  /// Says where pages go that are touched from now on. Pages that were touched before become `unchecked`.
  void intend(placed_block& block, const split_wish& wish);
  /// Where pages of the block lie, or will lie, by the parts of the wish alone.
  [[nodiscard]] page_split layout_for(const placed_block& block, const split_wish& wish);
  /// Looks at the next pages that may lie elsewhere, and moves the pages that do. Returns how many pages it looked at.
  std::uint64_t move_some(placed_block& block, std::uint64_t most_pages, move_outcome& sum);

  /// Pages that are touched from now on go where they would have gone before the last change.
  void revert(placed_block& block);
  /// Moves back the next pages that the change has moved.
  void take_back_some(placed_block& block, std::uint64_t most_pages, move_outcome& sum);

  /// Moving was refused for good. The pages that would move now miss it, too.
  [[nodiscard]] bool moves_no_more();

  [[nodiscard]] std::uint64_t moved_bytes() const noexcept { return moved_bytes_; }
  /// That the system would not move.
  [[nodiscard]] std::uint64_t stuck_bytes() const noexcept { return stuck_bytes_; }

 private:
  struct page_batch;

  [[nodiscard]] page_split split_for(const placed_block& block, const split_wish& wish);
  void split(placed_block& block, const split_wish& wish);
  static void look_again(placed_block& block);
  static void note_untouched(placed_block& block, const page_run& run, std::span<const int> lie);
  [[nodiscard]] std::vector<bool> run_moves(const page_batch& moves);
  void look_for_balancing();

  os_memory& system_;
  machine_nodes& nodes_;
  shortfall_book& book_;
  page_binder& binder_;
  node_shares& shares_;
  std::uint64_t moved_bytes_ = 0;
  std::uint64_t stuck_bytes_ = 0;
  int not_to_move_ = 0;               // errno: it was refused for good, and is not asked again unless in strict mode
  std::optional<grant> balancing_{};  // what it is, once it was asked
};

}  // namespace nearfork

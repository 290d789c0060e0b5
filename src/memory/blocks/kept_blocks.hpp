// Freed blocks that keep their pages for the next one of their sort.
//
// A page of a new block costs a fault, which clears it. Measured with an array of 16 MiB that is made, filled and freed again and again:
// 11.3 ms on new pages, 1.4 ms on kept ones, two thirds of that for letting the kernel have the pages meanwhile if it is short of
// memory; 0.46 ms with calloc, which keeps up to 32 MiB, too (docs/MEMORY.md).
//
// A value, without a lock and without system calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "memory/blocks/placed_block.hpp"

namespace nearfork {

/// What is asked of a block that is to be used again.
struct block_wish {
  block_extent extent{};
  std::size_t alignment = 1;
  const memory_options* options = nullptr;
};

class kept_blocks {
 public:
  /// Of all of them together. Twice what malloc keeps of one block.
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

  [[nodiscard]] static bool has_room_for(const placed_block& one) noexcept { return bytes_of(one) <= most_bytes; }
  /// The block that was kept last of those with as many pages and the same say on where they lie. O(kept).
  [[nodiscard]] std::optional<placed_block> take(const block_wish& wish);
  /// Returns what must go to make room, the oldest first. The block must be one that has_room_for(). Throws std::bad_alloc;
  /// nothing is changed then.
  [[nodiscard]] std::vector<placed_block> keep(placed_block one);
  [[nodiscard]] std::vector<placed_block> take_all() noexcept;

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  [[nodiscard]] static std::uint64_t bytes_of(const placed_block& one) noexcept {
    return one.extent.pages() * one.extent.page_bytes;
  }
  std::vector<placed_block> kept_;
  std::uint64_t bytes_ = 0;
};

}  // namespace nearfork

// Freed blocks that keep their pages for the next block with the same size and placing.
//
// Each page of a new block costs a fault, which clears the page. Measured with an array of 16 MiB that is made, filled
// and freed repeatedly: 11.3 ms on new pages, 1.4 ms on kept pages, 0.46 ms with calloc, which keeps up to 32 MiB, too
// (docs/MEMORY.md). Two thirds of the 1.4 ms are for letting the kernel take the kept pages if it is short of memory.
//
// A value: it has no lock and makes no system calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "memory/blocks/placed_block.hpp"

namespace nearfork {

/// What a kept block must match to be used again.
struct block_wish {
  block_extent extent{};
  std::size_t alignment = 1;
  const memory_options* options = nullptr;
};

class kept_blocks {
 public:
  /// The most bytes of all kept blocks together: twice what malloc keeps of one block.
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

  [[nodiscard]] static bool has_room_for(const placed_block& one) noexcept { return bytes_of(one) <= most_bytes; }
  /// The most recently kept block with as many pages and the same placing. O(kept).
  [[nodiscard]] std::optional<placed_block> take(const block_wish& wish);
  /// Keeps a block. Returns the blocks that must go to make room, the oldest first. The block must be one that
  /// has_room_for().
  /// Throws: std::bad_alloc; then nothing is changed.
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

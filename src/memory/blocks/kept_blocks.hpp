// Freed blocks that keep their pages for the next block with the same size and placing.
//
// Each page of a new block costs a fault, which clears the page, and letting the kernel take pages costs, too. A
// vector of 1.6 MB that is made, filled and freed repeatedly took 137 us where the kernel could take its pages, and
// takes 35 us if they stay the process's, as malloc's do (docs/MEMORY.md). So pages that have been used again stay:
// the program makes and frees such blocks all the time. Pages that were used once are for the kernel to take.
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

  /// The most bytes that stay the process's: as much as malloc keeps of one block.
  static constexpr std::uint64_t most_own_bytes = most_bytes / 2;

  [[nodiscard]] static bool has_room_for(const placed_block& one) noexcept { return bytes_of(one) <= most_bytes; }
  /// Whether the system may take the pages of this block if it is kept. O(kept).
  [[nodiscard]] bool must_offer(const placed_block& one) const noexcept;
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
  /// After so many blocks that were kept since, it is of a phase of the program that is over: it may go to make room.
  [[nodiscard]] bool is_forgotten(const placed_block& kept) const noexcept { return times_kept_ - kept.kept_as >= 256; }
  [[nodiscard]] static std::uint64_t own_bytes_of(const placed_block& kept) noexcept {
    return kept.is_offered ? 0 : bytes_of(kept);
  }
  void count_off(const placed_block& gone) noexcept;

  std::vector<placed_block> kept_;  // in the order in which they were kept
  std::uint64_t times_kept_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t own_bytes_ = 0;  // of these, what is not offered
};

}  // namespace nearfork

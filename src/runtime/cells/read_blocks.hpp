// Blocks of memory that tasks read as a whole, while other tasks change single cells. To note each reader in each cell
// takes the square of the number of tasks: 4000 readers of a row and 4000 writers of its elements in turn took 3.1 s,
// and 4000 windows of 1000 elements 220 ms.
//
// A block has a size that is a power of two, and begins at a multiple of it. So each range consists of at most two
// blocks of each size, and each cell has at most one block of each size around it, whatever ranges are read. Places are
// counted so that the first range begins at a multiple of all sizes: it has half as many blocks as others, and with a
// size of a power of two only one.
//
// [RB1] A cell belongs to the blocks in which it *begins*. So no cell need be cut at the border of a block, and of a
//      range whose first byte begins a cell exactly the cells that begin in the range are read.
// [RB2] The tasks that read a block as a whole are noted in the block. A cell takes over those of all its blocks when
//      it is accessed next; until then its own notes are those of the time before.
// [RB3] Each task that changes a cell is noted in the cell's blocks, too, and is not taken out before it is over. So a
//      task that reads a block as a whole waits for `changers` alone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>

#include "runtime/cells/band_addresses.hpp"
#include "runtime/cells/kept_tasks.hpp"

namespace nearfork {

struct block_place {
  std::uintptr_t begin;  // as read_blocks::at() counts
  std::uintptr_t size;
  bool operator==(const block_place&) const = default;
};

struct read_block {
  block_place place;
  read_block* around = nullptr;  // the next larger one that is noted; right if a cell belongs to this one
  std::uint64_t read_at = 0;     // by the clock of its read_blocks
  bool changed = true;           // since it was read
  bool is_idle = false;          // is going to be dropped
  kept_tasks readers{};          // of the whole
  kept_tasks changers{};
};

/// The largest block within these places, of which there is at least one.
[[nodiscard]] inline block_place largest_block(std::uintptr_t begin, std::uintptr_t end) noexcept {
  std::uintptr_t size = std::bit_floor(end - begin);
  const auto first = [&] { return (begin + size - 1) & ~(size - 1); };
  if (first() + size > end) size /= 2;
  return {first(), size};
}

class read_blocks {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return all_.empty(); }
  /// A range that begins here is going to be read.
  void expect(std::uintptr_t begin) noexcept {
    if (!is_band_address(begin) && (all_.empty() || shift_ == no_shift)) shift_ = no_shift - begin;
  }
  /// The rows of bands are aligned already.
  [[nodiscard]] std::uintptr_t at(std::uintptr_t byte) const noexcept {
    return is_band_address(byte) ? byte : byte + shift_;
  }
  [[nodiscard]] std::uintptr_t byte_at(std::uintptr_t place) const noexcept {
    return place <= end_of_band_addresses ? place : place - shift_;
  }
  /// nullptr: it is not noted.
  [[nodiscard]] read_block* find(const block_place& place) noexcept {
    if ((sizes_ & place.size) == 0) return nullptr;
    const auto found = all_.find(place);
    return found == all_.end() ? nullptr : &found->second;
  }
  /// The smallest block around this byte; nullptr: there is none. Sets `around` of all the blocks around the byte.
  [[nodiscard]] read_block* chain_at(std::uintptr_t byte) noexcept {
    const std::uintptr_t place = at(byte);
    read_block* first = nullptr;
    read_block** next = &first;
    for (std::uintptr_t left = sizes_; left != 0; left &= left - 1) {
      const std::uintptr_t size = left & (~left + 1);
      read_block* const one = find({place & ~(size - 1), size});
      if (one == nullptr) continue;
      *next = one;
      next = &one->around;
    }
    *next = nullptr;
    return first;
  }
  /// One that is not there yet. Throws std::bad_alloc.
  [[nodiscard]] read_block& add(const block_place& place) {
    read_block& made = all_.try_emplace(place, read_block{.place = place}).first->second;
    sizes_ |= place.size;
    (void)chain_at(byte_at(place.begin));
    return made;
  }
  void drop(const read_block& one) noexcept { all_.erase(block_place(one.place)); }
  /// A reading takes place.
  [[nodiscard]] std::uint64_t tick() noexcept { return ++now_; }
  [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
  template <class Use>
  void for_each(const Use& use) {
    for (auto& [place, one] : all_) use(one);
  }
  /// Drops those for which drop(block) is true. No cell belongs to them any more.
  template <class Drop>
  void drop_if(const Drop& drop) {
    for (auto at = all_.begin(); at != all_.end();) at = drop(at->second) ? all_.erase(at) : std::next(at);
    if (all_.empty()) sizes_ = 0;
  }

 private:
  struct hash {
    std::size_t operator()(const block_place& place) const noexcept {
      return static_cast<std::size_t>(((place.begin ^ std::rotr(place.size, 8)) * 0x9E3779B97F4A7C15U) >> 20);
    }
  };

  static constexpr std::uintptr_t no_shift = std::uintptr_t{1} << 63;  // beyond all addresses

  std::unordered_map<block_place, read_block, hash> all_;
  std::uintptr_t shift_ = no_shift;
  std::uintptr_t sizes_ = 0;  // of those that are noted, or were
  std::uint64_t now_ = 0;
};

}  // namespace nearfork

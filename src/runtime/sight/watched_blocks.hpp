// The blocks of data whose pages are looked at: placed blocks, and what hints and names say of other memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "memory/system/region_memory.hpp"
#include "runtime/sight/page_sample.hpp"

namespace nearfork {

struct watched_block {
  std::uint64_t id = 0;      // counts the blocks that were ever watched, from 1
  std::uint64_t number = 0;  // of a placed block: as living_block::number; 0: other memory
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string name{};  // empty: it has none
  page_sample pages;
  std::vector<std::uint64_t> first{};  // asked pages by node, at the first look that found any of them touched
  bool looked_at = false;
};

/// At most `most` blocks: a larger one takes the place of the smallest.
class watched_blocks {
 public:
  /// About `pages_at_once` pages are asked for at one look at all blocks; of each block at least 16.
  watched_blocks(std::size_t most, std::uint64_t pages_at_once, std::uint64_t page_bytes)
      : most_(most), pages_at_once_(pages_at_once), page_bytes_(page_bytes) {}

  /// The placed blocks that live now. Those that do not live any more are kept as they were seen last.
  void take_living(std::span<const living_block> all);
  /// A part of a placed block gives its name to the block; other memory is a block of its own.
  void take_named(std::uintptr_t begin, std::uintptr_t end, const std::string& name);
  /// Memory that a task touches. Whatever shares a page, or lies on neighbouring pages, is one block.
  void take_touched(std::uintptr_t begin, std::uintptr_t end);

  /// The block that holds the address now. Logarithmic in the blocks.
  [[nodiscard]] watched_block* at(std::uintptr_t address);
  /// Living ones, in the order of their addresses.
  [[nodiscard]] std::map<std::uintptr_t, watched_block>& living() noexcept { return living_; }
  /// Living and past ones, the largest first.
  [[nodiscard]] std::vector<const watched_block*> all() const;
  /// How many blocks found no room.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  [[nodiscard]] bool make_room_for(std::uint64_t bytes);
  watched_block* add(std::uintptr_t begin, std::uintptr_t end, std::uint64_t number);
  void retire(std::uintptr_t begin, std::uintptr_t end);

  std::size_t most_;
  std::uint64_t pages_at_once_;
  std::uint64_t page_bytes_;
  std::map<std::uintptr_t, watched_block> living_{};  // by begin; none overlap
  std::vector<watched_block> past_{};
  std::uint64_t ids_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t last_refused_ = 0;  // the highest number of a placed block that found no room
};

}  // namespace nearfork

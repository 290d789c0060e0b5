// The placed blocks that live, and the regions they belong to.
//
// The lock of placed_memory guards it, except for find() and any().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "memory/blocks/block_registry.hpp"
#include "memory/blocks/placed_block.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

class block_table {
 public:
  /// Gives the block its id. Throws std::bad_alloc; the block is not in the table then.
  void enter(placed_block made);
  /// Takes out the block that find() has found.
  [[nodiscard]] placed_block take(const found_block& gone) noexcept;

  /// The block that holds an address; any thread, no lock.
  [[nodiscard]] std::optional<found_block> find(const void* address) const noexcept;
  [[nodiscard]] bool any() const noexcept { return live_.load(seam::memory_order_relaxed) > 0; }

  /// nullptr: it was freed meanwhile.
  [[nodiscard]] placed_block* at(block_id id);
  [[nodiscard]] const std::map<std::uint32_t, placed_block>& all() const noexcept { return blocks_; }

  // --- for regions; each is O(blocks) ---
  [[nodiscard]] region_data data_of(std::string_view region) const;
  /// A block is led by the region that has run most often while it lived.
  void count_iteration(std::string_view region);
  [[nodiscard]] std::vector<block_id> led_by(std::string_view region) const;

  /// In the order in which they were entered. O(blocks log blocks).
  [[nodiscard]] std::vector<living_block> living() const;
  [[nodiscard]] std::uint64_t made() const noexcept { return made_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  std::unique_ptr<block_registry> registry_owner_;
  std::map<std::uint32_t, placed_block> blocks_;  // by slot of the registry
  std::uint64_t made_ = 0;

  seam::atomic<block_registry*> registry_{nullptr};  // registry_owner_, for find()
  seam::atomic<std::uint64_t> live_{0};
};

}  // namespace nearfork

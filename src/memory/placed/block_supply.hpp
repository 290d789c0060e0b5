// Where blocks get their pages: fresh ones of the system, or those that a freed block has kept.
//
// The lock of placed_memory guards it, except for lay_down() and unmap().
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "memory/blocks/kept_blocks.hpp"
#include "memory/blocks/placed_block.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {

class block_supply {
 public:
  explicit block_supply(os_memory& system) : system_(system) {}
  /// Unmaps what is kept.
  ~block_supply() { unmap(kept_.take_all()); }
  block_supply(const block_supply&) = delete;
  block_supply& operator=(const block_supply&) = delete;

  /// A block of untouched pages that read as zero. Throws nearfork::error.
  [[nodiscard]] placed_block map(std::size_t bytes, std::size_t alignment, const memory_options& options);
  void unmap(const placed_block& one) noexcept { system_.unmap(one.begin, one.reserved_bytes); }
  void unmap(const std::vector<placed_block>& all) noexcept {
    for (const placed_block& one : all) unmap(one);
  }

  /// A block on kept pages, with their old content; nullopt: no pages of this sort are kept. O(kept).
  [[nodiscard]] std::optional<placed_block> reuse(std::size_t bytes, std::size_t alignment,
                                                  const memory_options& options);
  [[nodiscard]] bool must_offer(const placed_block& freed) const noexcept { return kept_.must_offer(freed); }
  /// Nobody may touch the pages of the freed block; if they are offered, the system may have them when it is short of
  /// memory. False: they cannot be kept.
  [[nodiscard]] bool lay_down(const placed_block& freed) noexcept;
  /// After lay_down(). Returns what must go to make room. Throws std::bad_alloc; nothing is changed then.
  [[nodiscard]] std::vector<placed_block> keep(const placed_block& freed) { return kept_.keep(freed); }
  [[nodiscard]] std::vector<placed_block> take_kept() noexcept { return kept_.take_all(); }
  [[nodiscard]] std::uint64_t kept_bytes() const noexcept { return kept_.bytes(); }

 private:
  [[nodiscard]] block_extent extent_of(std::size_t bytes, const memory_options& options) const;
  [[nodiscard]] mapped_memory map_pages(std::size_t usable, std::size_t reserved, std::size_t alignment);

  os_memory& system_;
  kept_blocks kept_;
};

[[noreturn]] void throw_no_memory(std::size_t bytes, int error_number);

}  // namespace nearfork

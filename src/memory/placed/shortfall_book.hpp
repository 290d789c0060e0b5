// What could not be had of memory, once each, and how many live blocks miss it.
//
// The lock of placed_memory guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/system/region_memory.hpp"

namespace nearfork {

class shortfall_book {
 public:
  /// Numbers of shortfalls in the book.
  using misses = std::vector<std::size_t>;

  /// In strict mode throws nearfork::error.
  void note(memory_shortfall fact);

  /// As long as it lives, what is noted goes into `missed`, too: a block is being made, and misses it. One at a time.
  class making {
   public:
    making(shortfall_book& in, misses& missed) noexcept : in_(in) { in_.missed_ = &missed; }
    ~making() { in_.missed_ = nullptr; }
    making(const making&) = delete;
    making& operator=(const making&) = delete;

   private:
    shortfall_book& in_;
  };

  /// A block that misses them came to live, or went.
  void count_block(std::span<const std::size_t> missed) noexcept;
  void count_off_block(std::span<const std::size_t> missed) noexcept;

  /// How many times something could not be had.
  [[nodiscard]] std::uint64_t times() const noexcept { return times_; }
  /// The first ones, and in the last line how many more.
  [[nodiscard]] std::vector<memory_shortfall> all() const;

 private:
  std::uint64_t times_ = 0;
  std::vector<memory_shortfall> told_;
  std::uint64_t untold_ = 0;  // times, beyond those that are told
  std::uint64_t last_untold_at_ = 0;
  misses* missed_ = nullptr;  // by the block that is being made
};

}  // namespace nearfork

// Who holds some addresses, read without a lock while blocks come and go.
//
// A slot is used by one block after the other and never goes away itself. Its generation is odd while it is taken; with
// it a block has a name that no later block of the slot shares.
//
// [M1] What find() returns was all of one block: the new bounds are stored with release after the generation that ended
//      the old block, and loaded with acquire before the generation is looked at once more. So whoever has seen a bound
//      of the next block sees that the old one is gone. Model: block_slot. Mutant: bounds_not_acquired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

class block_slot {
 public:
  struct bounds {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::uint64_t generation;
  };

  /// Only one thread at a time opens and closes; any may look.
  void open(std::uintptr_t begin, std::uintptr_t end) noexcept {
    begin_.store(begin, seam::memory_order_release);  // [M1]
    end_.store(end, seam::memory_order_release);      // [M1]
    // Release: who sees the block taken sees its bounds.
    generation_.store(generation_.load(seam::memory_order_relaxed) + 1, seam::memory_order_release);
  }
  void close() noexcept {
    // Relaxed is enough for the store: [M1] orders it before the next block's bounds.
    generation_.store(generation_.load(seam::memory_order_relaxed) + 1, seam::memory_order_relaxed);
  }

  /// The block that holds `address`; none: there is none now, or it comes or goes at this moment.
  [[nodiscard]] std::optional<bounds> find(std::uintptr_t address) const noexcept {
    const std::uint64_t generation = generation_.load(seam::memory_order_acquire);  // pairs with open()
    if (generation % 2 == 0) return std::nullopt;
    const std::uintptr_t begin = begin_.load(seam::memory_order_acquire);  // [M1]
    const std::uintptr_t end = end_.load(seam::memory_order_acquire);      // [M1]
    // Relaxed: ordered after the bounds by their acquire.
    if (generation_.load(seam::memory_order_relaxed) != generation) return std::nullopt;
    if (address < begin || address >= end) return std::nullopt;
    return bounds{begin, end, generation};
  }

  /// Racy, unless the caller is who opens and closes.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(seam::memory_order_relaxed); }

 private:
  // Written by whoever holds the registry's lock, read by all.
  seam::atomic<std::uint64_t> generation_{0};
  seam::atomic<std::uintptr_t> begin_{0};
  seam::atomic<std::uintptr_t> end_{0};
};

}  // namespace nearfork

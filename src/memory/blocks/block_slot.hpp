// The bounds of one block, read without a lock while blocks are added and removed.
//
// One block after the other uses a slot, and the slot itself is never freed. Its generation is odd while a block uses
// it. Slot and generation together name a block; no later block of the slot has the same name.
//
// [M1] All that find() returns belongs to one block. The new bounds are stored with release after the generation that
//      ended the old block. They are loaded with acquire before the generation is read a second time. So a reader that
//      has seen a bound of the next block also sees that the old block has ended. Model: block_slot.
//      Mutant: bounds_not_acquired.
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

  /// Only one thread at a time may open and close a slot. Any thread may look.
  void open(std::uintptr_t begin, std::uintptr_t end) noexcept {
    begin_.store(begin, seam::memory_order_release);  // [M1]
    end_.store(end, seam::memory_order_release);      // [M1]
    // Release: a reader that sees the slot taken sees the bounds.
    generation_.store(generation_.load(seam::memory_order_relaxed) + 1, seam::memory_order_release);
  }
  void close() noexcept {
    // Relaxed is enough for the store: [M1] orders it before the next block's bounds.
    generation_.store(generation_.load(seam::memory_order_relaxed) + 1, seam::memory_order_relaxed);
  }

  /// The block that holds `address`. nullopt: the slot has no such block, or it is being opened or closed at this
  /// moment.
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

  /// Racy, unless the caller is the thread that opens and closes.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(seam::memory_order_relaxed); }

 private:
  // Written by the thread that holds the registry's lock, read by all.
  seam::atomic<std::uint64_t> generation_{0};
  seam::atomic<std::uintptr_t> begin_{0};
  seam::atomic<std::uintptr_t> end_{0};
};

}  // namespace nearfork

// What a runtime asks of placed memory. A program that places nothing links nothing more of this room than this header: the runtime
// finds the rest through `used_memory`, once there is something to find.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/detail/seam.hpp>

#include "machine/model/machine.hpp"

namespace nearfork {

namespace seam = detail::seam;

/// What was asked for and could not be had, once each.
struct memory_shortfall {
  std::string what;
  std::string where;
  std::string why;
  std::string remedy;
  std::uint64_t at = 0;      // when it was so last, by memory_in_use::shortfalls
  std::uint64_t blocks = 0;  // that live, and were made without it
};

struct memory_totals {
  std::uint64_t blocks = 0;  // that live
  std::uint64_t bytes = 0;
  std::uint64_t blocks_made = 0;
  std::uint64_t blocks_reused = 0;  // of these: on the pages of one that was freed
  std::uint64_t kept_bytes = 0;     // of freed blocks, for later ones
  std::uint64_t moved_bytes = 0;
  std::uint64_t stuck_bytes = 0;  // that the system would not move
};

/// The blocks that belong to a region.
struct region_data {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

/// How a region's data are to lie.
struct split_wish {
  std::string_view region{};
  std::span<const double> borders{};  // ascending from 0 to 1
  std::span<const node_id> nodes{};   // between them
  std::uint64_t most_moved_bytes = 0;
};

struct move_outcome {
  std::uint64_t moved_bytes = 0;
  bool in_place = true;  // nothing is left to do
};

class region_memory {
 public:
  [[nodiscard]] virtual region_data data_of(std::string_view region) const = 0;
  /// Before an iteration of the region, whether or not it has a plan: a block follows the region that used it most.
  virtual void count_iteration(std::string_view region) = 0;
  /// Splits the region's blocks as wished: pages that nobody has touched go there when they are, the others are moved, so
  /// many at once. Call it again until all is in place.
  virtual move_outcome follow(const split_wish& wish) = 0;
  /// Undoes the last change that follow() made, bounded in the same way.
  virtual move_outcome take_back(std::string_view region, std::uint64_t most_moved_bytes) = 0;

  /// False where a described machine's nodes are not this memory's.
  [[nodiscard]] virtual bool is_of(const machine& where) = 0;
  [[nodiscard]] virtual bool any_blocks() const noexcept = 0;
  [[nodiscard]] virtual memory_totals totals() const = 0;
  [[nodiscard]] virtual std::vector<memory_shortfall> shortfalls() const = 0;
  /// What freed blocks have kept for later ones.
  virtual void give_back_kept() noexcept = 0;

 protected:
  virtual ~region_memory() = default;
};

/// What this process has come to use of the room.
struct memory_in_use {
  seam::atomic<region_memory*> blocks{nullptr};                         // set by the first placed block
  seam::atomic<std::vector<memory_shortfall> (*)()> of_pools{nullptr};  // by the first block of a pool
  seam::atomic<std::uint32_t> strict_runtimes{0};
  seam::atomic<std::uint64_t> shortfalls{0};        // so many times something could not be had
  seam::atomic<std::uint32_t> telling_runtimes{0};  // that live and tell of them
  seam::atomic<std::uint64_t> told{0};              // up to here, by runtimes that are gone

  [[nodiscard]] std::uint64_t count_shortfall() noexcept {
    return shortfalls.fetch_add(1, seam::memory_order_relaxed) + 1;
  }
  [[nodiscard]] bool is_strict() const noexcept { return strict_runtimes.load(seam::memory_order_relaxed) > 0; }
};
inline constinit memory_in_use used_memory;

/// Each shortfall belongs to the runtimes that lived when it was so, or to the next one where there was none, and to those that
/// live as long as a block which misses it. This stands for such a runtime. Relaxed: a runtime that starts while another ends may
/// tell what that one told.
class shortfall_teller {
 public:
  shortfall_teller() noexcept
      : since_(used_memory.telling_runtimes.fetch_add(1, seam::memory_order_relaxed) == 0
                   ? used_memory.told.load(seam::memory_order_relaxed)
                   : used_memory.shortfalls.load(seam::memory_order_relaxed)) {}
  ~shortfall_teller() {
    if (used_memory.telling_runtimes.fetch_sub(1, seam::memory_order_relaxed) == 1)
      used_memory.told.store(used_memory.shortfalls.load(seam::memory_order_relaxed), seam::memory_order_relaxed);
  }
  shortfall_teller(const shortfall_teller&) = delete;
  shortfall_teller& operator=(const shortfall_teller&) = delete;

  [[nodiscard]] bool tells(const memory_shortfall& one) const noexcept { return one.at > since_ || one.blocks > 0; }

 private:
  std::uint64_t since_;
};

/// As long as it lives, a shortfall is an error.
class strict_memory {
 public:
  explicit strict_memory(bool strict) noexcept : counts_(strict) { change(1); }
  ~strict_memory() { change(~std::uint32_t{0}); }
  strict_memory(const strict_memory&) = delete;
  strict_memory& operator=(const strict_memory&) = delete;

 private:
  void change(std::uint32_t by) const noexcept {
    if (counts_) used_memory.strict_runtimes.fetch_add(by, seam::memory_order_relaxed);
  }

  bool counts_;
};

}  // namespace nearfork

// The interface of placed memory for runtimes. A runtime finds the rest through `used_memory`, once there is placed
// memory: a program without it makes none of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nearfork/detail/seam.hpp>
#include <nearfork/memory_options.hpp>

#include "machine/model/machine.hpp"
#include "machine/nodes/chunk_move.hpp"
#include "machine/nodes/page_split.hpp"
#include "machine/nodes/page_stripes.hpp"

namespace nearfork {

namespace seam = detail::seam;

/// Something that was asked for and that the system did not give. Each fact is kept once.
struct memory_shortfall {
  std::string what;
  std::string where;
  std::string why;
  std::string remedy;
  std::uint64_t at = 0;      // when it last happened, by memory_in_use::shortfalls
  std::uint64_t blocks = 0;  // living blocks that were made without it
};

struct memory_totals {
  std::uint64_t blocks = 0;  // living blocks
  std::uint64_t bytes = 0;
  std::uint64_t blocks_made = 0;
  std::uint64_t blocks_reused = 0;  // how many of these got the pages of a freed block
  std::uint64_t kept_bytes = 0;     // pages of freed blocks, kept for later blocks
  std::uint64_t moved_bytes = 0;
  std::uint64_t stuck_bytes = 0;  // the system would not move them
};

/// The blocks of one region.
struct region_data {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

/// A living block, for recordings.
struct living_block {
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;  // how many blocks had been made when it was
  placing::rule how = placing::rule::follow_plan;
};

/// How the data of a region shall be split.
struct split_wish {
  std::string_view region{};
  std::span<const double> borders{};    // ascending from 0 to 1
  std::span<const node_id> nodes{};     // nodes[i] is between borders i and i + 1
  std::span<const node_turns> turns{};  // for blocks whose options do not spread parts by themselves
  std::span<const chunk_move> moves{};
  double kept_free = 0;  // as data_parts says
  std::uint64_t most_moved_bytes = 0;
};

/// A living block that follows the plans of a region.
struct laid_block {
  std::uint64_t number = 0;  // as in chunk_move
  std::uintptr_t begin = 0;
  block_extent extent{};
  page_split split{};  // where its pages lie, or will lie, without moves of chunks
};

struct data_layout {
  std::vector<laid_block> blocks{};         // in the order of their addresses
  std::vector<std::uint64_t> free_pages{};  // by node; of nodes beyond the last one nothing is known
  std::uint64_t page_bytes = 0;             // of these
};

struct move_outcome {
  std::uint64_t moved_bytes = 0;
  bool in_place = true;  // nothing remains to be done
};

class region_memory {
 public:
  [[nodiscard]] virtual region_data data_of(std::string_view region) const = 0;
  /// Call it before each iteration of the region, with or without a plan. A block follows the region that used it most
  /// often.
  virtual void count_iteration(std::string_view region) = 0;
  /// Splits the region's blocks as wished. Untouched pages go to their node when they are touched; the others are
  /// moved, a bounded number of bytes per call. Call it again until all pages are in place.
  virtual move_outcome follow(const split_wish& wish) = 0;
  /// Undoes the last change of follow(), with the same bound.
  virtual move_outcome take_back(std::string_view region, std::uint64_t most_moved_bytes) = 0;

  /// What follow() splits, and how. The moves of the wish do not count.
  [[nodiscard]] virtual data_layout layout_for(const split_wish& wish) = 0;

  /// False if `where` is a described machine whose nodes are not those of this memory.
  [[nodiscard]] virtual bool is_of(const machine& where) = 0;
  [[nodiscard]] virtual bool any_blocks() const noexcept = 0;
  /// In the order in which they were made.
  [[nodiscard]] virtual std::vector<living_block> living() const = 0;
  /// As os_memory::locate().
  [[nodiscard]] virtual int find_nodes(std::span<std::byte* const> pages, std::span<int> nodes) const = 0;
  [[nodiscard]] virtual memory_totals totals() const = 0;
  [[nodiscard]] virtual std::vector<memory_shortfall> shortfalls() const = 0;
  /// Gives the kept pages of freed blocks back to the system.
  virtual void give_back_kept() noexcept = 0;

 protected:
  virtual ~region_memory() = default;
};

/// While it lives, what this thread cannot have of memory is noted, also in strict mode, because nobody asked for it:
/// it is the default policy that wants it.
class contentment {
 public:
  explicit contentment(bool content) noexcept : before_(std::exchange(here, here || content)) {}
  ~contentment() { here = before_; }
  contentment(const contentment&) = delete;
  contentment& operator=(const contentment&) = delete;

  [[nodiscard]] static bool is_here() noexcept { return here; }

 private:
  static inline constinit thread_local bool here = false;
  bool before_;
};

/// What this process has used of the memory room.
struct memory_in_use {
  seam::atomic<region_memory*> blocks{nullptr};                         // set by the first placed block
  seam::atomic<std::vector<memory_shortfall> (*)()> of_pools{nullptr};  // set by the first block of a pool
  seam::atomic<std::uint32_t> strict_runtimes{0};
  seam::atomic<std::uint64_t> shortfalls{0};        // how many shortfalls there were
  seam::atomic<std::uint32_t> telling_runtimes{0};  // living runtimes that report them
  seam::atomic<std::uint64_t> told{0};              // shortfalls reported by runtimes that have ended

  [[nodiscard]] std::uint64_t count_shortfall() noexcept {
    return shortfalls.fetch_add(1, seam::memory_order_relaxed) + 1;
  }
  [[nodiscard]] bool is_strict() const noexcept {
    return strict_runtimes.load(seam::memory_order_relaxed) > 0 && !contentment::is_here();
  }
};
inline constinit memory_in_use used_memory;

/// Stands for a runtime that reports shortfalls. Each shortfall belongs to the runtimes that live when it happens, or
/// to the next runtime if none lives. It also belongs to the runtimes that live at the same time as a block that misses
/// the memory.
/// Relaxed: a runtime that starts while another one ends may report what that one reported.
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

/// While it lives, a shortfall is an error.
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

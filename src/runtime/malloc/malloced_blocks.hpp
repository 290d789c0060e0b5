// The blocks of malloc and operator new that become placed blocks, in a program with libnearfork-malloc.so: those from
// a size on that initialise a region's data, and follow the plans of the regions that use them. The paper's compiler
// (BATS) rewrites such allocations in the source.
//
// nearfork finds the library when the program starts, and offers it placed blocks (detail/malloc_offer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/config.hpp>
#include <nearfork/detail/malloc_offer.hpp>
#include <nearfork/detail/seam.hpp>

#include "machine/model/machine.hpp"

namespace nearfork {

namespace seam = detail::seam;

struct malloced_totals {
  std::uint64_t blocks = 0;   // placed so far
  std::uint64_t bytes = 0;    // of these
  std::uint64_t refused = 0;  // should have been placed, and were left to the next malloc
};

/// What has run so far, as far as it decides which blocks are placed. Relaxed throughout: a block that is allocated
/// while a region begins may count as before or after.
class initialising {
 public:
  void begin_region(bool is_first_iteration) noexcept {
    any_region_.store(true, seam::memory_order_relaxed);
    if (is_first_iteration) first_iterations_.fetch_add(1, seam::memory_order_relaxed);
  }
  void end_first_iteration() noexcept { first_iterations_.fetch_sub(1, seam::memory_order_relaxed); }

  /// Before any region, and in tasks while some region is in its first iteration.
  [[nodiscard]] bool is_on(bool in_task) const noexcept {
    if (!any_region_.load(seam::memory_order_relaxed)) return true;
    return in_task && first_iterations_.load(seam::memory_order_relaxed) > 0;
  }

 private:
  seam::atomic<bool> any_region_{false};
  seam::atomic<std::uint32_t> first_iterations_{0};
};

/// The malloced blocks of the process.
class malloced_blocks {
 public:
  /// Each block takes two mappings, more where a plan spreads it over nodes, and Linux grants a process 65,530.
  /// Threads, libraries and the next malloc need some, too: programs with 32,700 blocks got none.
  static constexpr std::uint64_t most_living = 8192;

  /// False: libnearfork-malloc.so is not in the process; then nothing else is of interest.
  [[nodiscard]] bool are_placed() const noexcept { return placed_.load(seam::memory_order_relaxed); }
  /// True: the library is there, and another copy of nearfork in the process places its blocks.
  [[nodiscard]] bool are_of_another() const noexcept { return of_another_.load(seam::memory_order_relaxed); }
  /// Looks for the library, and offers it blocks as these settings say. At the start of the program, and of each
  /// runtime, whose settings hold from then on.
  void offer(const config& settings) noexcept;

  [[nodiscard]] malloced_totals totals() const noexcept;
  /// `where` is the machine of a runtime that has read it: where it has one node, freed blocks keep their pages.
  static void know(const machine& where) noexcept;
  /// `region` was never entered before: it will initialise its data. Call end_first_iteration() then.
  void begin_region(bool is_first_iteration) noexcept { phase_.begin_region(is_first_iteration); }
  void end_first_iteration() noexcept { phase_.end_first_iteration(); }

  // --- for the library ---
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, detail::malloc_wish wish) noexcept;
  bool free(void* begin) noexcept;
  [[nodiscard]] static std::size_t usable(const void* begin) noexcept;

 private:
  /// At the begin of a block whose free() had to wait.
  struct delayed_block {
    delayed_block* following;
  };
  [[nodiscard]] bool wants_block(detail::malloc_wish wish) const noexcept;
  [[nodiscard]] void* refuse() noexcept;
  void give_back(void* begin) noexcept;
  void free_later(void* begin) noexcept;
  void free_delayed() noexcept;

  initialising phase_;
  seam::atomic<bool> placed_{false};
  seam::atomic<bool> of_another_{false};
  seam::atomic<placed_mallocs> which_{placed_mallocs::initial};
  seam::atomic<std::uint64_t> blocks_{0};
  seam::atomic<std::uint64_t> living_{0};
  seam::atomic<std::uint64_t> bytes_{0};
  seam::atomic<std::uint64_t> refused_{0};
  seam::atomic<delayed_block*> delayed_{nullptr};
};
extern constinit malloced_blocks malloced;

}  // namespace nearfork

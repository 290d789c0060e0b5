// Automatic NUMA balancing of the Linux kernel (Corbet, "NUMA in a hurry", 2012; kernel/sched/fair.c), as Drebes et al.
// compare with in section 6: a scanner makes the next access to each page fault, and a page that two faults in a row
// find far from the accessing core moves to that core's node.
//
// Simpler than the kernel: the scanner goes through all pages at one speed, round and round, from time 0 on.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

/// Faults and moves pass a lock one at a time (the kernel's lists of pages; translations that all cores must forget).
/// How long they hold it is fitted: so the synthetic program of section 6.2, in which 64 threads fault at once,
/// breaks even on the simulated Opteron after about as many sweeps as in the paper, 70 with pages of 4 KiB and 12
/// with pages of 2 MiB (tools/reproduce/drebes_migration.cpp).
struct balancing_model {
  std::uint64_t scan_bytes = 256U << 20;     // scan_size_mb
  std::uint64_t scan_period_ns = 4'000'000;  // a scan each tick of 250 Hz, for a least period of 0; an estimate
  std::uint64_t fault_ns = 1'500;            // beside the lock; an estimate
  std::uint64_t locked_fault_ns = 180;
  std::uint64_t locked_move_4k_ns = 2'300;  // for each 4 KiB of a page that moves
};

class page_balancing {
 public:
  struct pages {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  page_balancing(balancing_model model, pages of, std::uint64_t page_bytes, std::uint64_t move_page_ps);

  /// A core of `node` accesses the page. Returns how long the fault keeps it, and the move if there is one. Pages
  /// that are not scanned cost nothing.
  [[nodiscard]] std::uint64_t access_ps(memory_hierarchy& memory, core_id core, std::uint32_t node, std::uint64_t page,
                                        std::uint64_t now_ps);
  [[nodiscard]] std::uint64_t faults() const noexcept { return faults_; }

 private:
  /// True if the scanner passed the page in (since, now].
  [[nodiscard]] bool is_marked(std::uint64_t page, std::uint64_t since_ps, std::uint64_t now_ps) const noexcept;
  /// How long the core waits for the lock and holds it.
  [[nodiscard]] std::uint64_t lock_ps(std::uint64_t now_ps, std::uint64_t held_ps) noexcept;

  balancing_model model_;
  pages of_;
  std::uint64_t round_ps_;    // until the scanner has seen all pages
  std::uint64_t of_page_ps_;  // how long it takes from one page to the next
  std::uint64_t move_page_ps_;
  std::uint64_t locked_move_ps_;
  std::uint64_t free_from_ps_ = 0;      // the lock
  std::vector<std::uint64_t> seen_ps_;  // by page: the last fault
  std::vector<std::uint16_t> seen_by_;  // by page: that fault's node
  std::uint64_t faults_ = 0;
};

}  // namespace nearfork::sim

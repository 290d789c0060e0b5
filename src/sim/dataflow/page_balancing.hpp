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

/// The prices are those with which the synthetic program of section 6.2 breaks even on the simulated Opteron after about
/// as many sweeps as in the paper, 70 with pages of 4 KiB and 12 with pages of 2 MiB (tools/reproduce/drebes_migration.cpp).
/// They include what 64 threads that fault at once wait for each other, and for translations that all cores must forget.
struct balancing_model {
  std::uint64_t scan_bytes = 256U << 20;     // scan_size_mb
  std::uint64_t scan_period_ns = 4'000'000;  // a scan each tick of 250 Hz, for a least period of 0; an estimate
  std::uint64_t fault_ns = 10'500;
  std::uint64_t move_4k_ns = 130'000;  // for each 4 KiB of a page that moves, beside copying it
};

class page_balancing {
 public:
  struct pages {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  page_balancing(balancing_model model, pages of, std::uint64_t page_bytes, std::uint64_t move_page_ns);

  /// A core of `node` accesses the page. Returns how long the fault keeps it, and the move if there is one. Pages
  /// that are not scanned cost nothing.
  [[nodiscard]] std::uint64_t access_ps(memory_hierarchy& memory, core_id core, std::uint32_t node, std::uint64_t page,
                                        std::uint64_t now_ps);
  [[nodiscard]] std::uint64_t faults() const noexcept { return faults_; }

 private:
  /// True if the scanner passed the page in (since, now].
  [[nodiscard]] bool is_marked(std::uint64_t page, std::uint64_t since_ps, std::uint64_t now_ps) const noexcept;

  balancing_model model_;
  pages of_;
  std::uint64_t round_ps_;    // until the scanner has seen all pages
  std::uint64_t of_page_ps_;  // how long it takes from one page to the next
  std::uint64_t move_page_ps_;
  std::vector<std::uint64_t> seen_ps_;  // by page: the last fault
  std::vector<std::uint16_t> seen_by_;  // by page: that fault's node
  std::uint64_t faults_ = 0;
};

}  // namespace nearfork::sim

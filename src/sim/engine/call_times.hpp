// How long it takes until a worker learns of another worker's work. A worker in the same cache needs what the cost
// model says. The line that brings the news takes longer to a worker further away: by a third of what a steal from
// there takes longer, because a steal moves three lines (docs/MACHINES.md), and by the latency of each further link.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

#include "machine/model/machine.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/crew/worker_places.hpp"
#include "sim/machine/cost_model.hpp"
#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {

class call_times {
 public:
  /// By distance alone: there are no links, or each route has one.
  call_times(const worker_layout& layout, const cost_model& costs);
  /// `places`: those of the layout's workers, on `where`.
  call_times(const worker_layout& layout, const cost_model& costs, const machine& where, const interconnect& between,
             std::span<const worker_place> places);

  /// What the news takes longer between two workers than between two of one cache.
  [[nodiscard]] std::uint64_t further_ps(std::uint32_t from, std::uint32_t to) const noexcept {
    const std::uint64_t links_ps = of_links_.empty() ? 0 : of_links_[std::size_t{seat_[from]} * seats_ + seat_[to]];
    return of_distance_[layout_.distance(from, to)] + links_ps;
  }

 private:
  const worker_layout& layout_;
  std::array<std::uint64_t, steal_distances> of_distance_{};
  std::uint32_t seats_ = 0;
  std::vector<std::uint32_t> seat_{};      // by worker
  std::vector<std::uint64_t> of_links_{};  // by pair of seats; empty: nothing anywhere
};

}  // namespace nearfork::sim

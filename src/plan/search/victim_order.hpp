// Which victims a thief asks, in which order: rings of victims, nearest first; within a ring from a random start.
//
// The rings of a worker never change, so they are made once. A round costs one random number per ring and no memory.
// The random start prevents that thieves which run out of work together all ask the same victim first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/search/search_order.hpp"

namespace nearfork {

class victim_order {
 public:
  struct victim {
    std::uint32_t index;
    std::uint8_t distance;
  };
  /// Random: one ring with all victims. Else: one ring per distance.
  victim_order(std::vector<victim> victims, victim_spread spread);

  [[nodiscard]] bool empty() const noexcept { return victims_.empty(); }

  /// Calls try_victim(index) once for each victim until a call returns true. Returns whether one did.
  template <class Try>
  bool ask(rng& random, Try&& try_victim) const {
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ring_ends_) {
      if (ask_ring(begin, end, begin + random.below(end - begin), try_victim)) return true;
      begin = end;
    }
    return false;
  }

 private:
  template <class Try>
  bool ask_ring(std::uint32_t begin, std::uint32_t end, std::uint32_t start, Try& try_victim) const {
    for (std::uint32_t i = start; i < end; ++i)
      if (try_victim(victims_[i])) return true;
    for (std::uint32_t i = begin; i < start; ++i)
      if (try_victim(victims_[i])) return true;
    return false;
  }

  std::vector<std::uint32_t> victims_;
  std::vector<std::uint32_t> ring_ends_;
};

/// The victims of worker `self` in `step`: workers if the step looks into deques, domains if it looks into remote
/// pools, else none.
[[nodiscard]] victim_order victims_of(const search_step& step, const worker_layout& layout, std::uint32_t self);

/// One round as a list.
[[nodiscard]] std::vector<std::uint32_t> choose_victims(const victim_order& victims, rng& random);

}  // namespace nearfork

// Which victims a thief asks, in which order: rings of victims, nearest first; within a ring from a random start, in a
// random direction.
//
// The rings of a worker never change, so they are made once. A round costs one random number per ring and no memory.
// The random start prevents that thieves which run out of work together all ask the same victim first. The direction
// prevents that all who begin among idle workers end at the first busy one behind them: simulated, a long task took 2%
// more time on worker 0 than on others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/search/index_set.hpp"
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
      if (ask_ring(begin, end, way_around(random, begin, end), try_victim)) return true;
      begin = end;
    }
    return false;
  }
  /// As ask(), which takes the same random numbers; but victims that are not in `filled` are passed over, because they
  /// have nothing. `passed` grows by one for each of them that ask() would have called.
  template <class Try>
  bool ask_filled(rng& random, const index_set& filled, std::uint32_t& passed, Try&& try_victim) const {
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ring_ends_) {
      const auto [start, backward] = way_around(random, begin, end);
      if (filled.empty()) passed += end - begin;
      else if (!backward) {
        if (ask_part(start, end, filled, passed, try_victim) || ask_part(begin, start, filled, passed, try_victim))
          return true;
      } else if (ask_part_backward(begin, start + 1, filled, passed, try_victim) ||
                 ask_part_backward(start + 1, end, filled, passed, try_victim)) {
        return true;
      }
      begin = end;
    }
    return false;
  }

  /// True if one of the victims is in `filled`. Takes the random numbers that ask_filled() takes until it finds one.
  [[nodiscard]] bool any_filled(rng& random, const index_set& filled) const noexcept {
    if (filled.empty()) {
      random.skip(ring_ends_.size());
      return false;
    }
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ring_ends_) {
      random.skip(1);
      if (has_filled(begin, end, filled)) return true;
      begin = end;
    }
    return false;
  }

 private:
  struct way {
    std::uint32_t start;
    bool backward;
  };
  [[nodiscard]] static way way_around(rng& random, std::uint32_t begin, std::uint32_t end) noexcept {
    const std::uint32_t chosen = random.below(2 * (end - begin));
    return {begin + chosen / 2, chosen % 2 != 0};
  }

  template <class Try>
  bool ask_ring(std::uint32_t begin, std::uint32_t end, way how, Try& try_victim) const {
    std::uint32_t at = how.start;
    for (std::uint32_t left = end - begin; left > 0; --left) {
      if (try_victim(victims_[at])) return true;
      if (how.backward) at = at == begin ? end - 1 : at - 1;
      else at = at + 1 == end ? begin : at + 1;
    }
    return false;
  }

  template <class Try>
  bool ask_part(std::uint32_t begin, std::uint32_t end, const index_set& filled, std::uint32_t& passed,
                Try& try_victim) const {
    for (std::uint32_t i = begin; i < end;) {
      const std::uint32_t next = filled.next(victims_[i]);
      const std::uint32_t found = next == index_set::none ? end : position_of(next, i, end);
      passed += found - i;
      i = found;
      if (i == end || victims_[i] != next) continue;
      ++i;
      if (try_victim(next)) return true;
    }
    return false;
  }
  template <class Try>
  bool ask_part_backward(std::uint32_t begin, std::uint32_t end, const index_set& filled, std::uint32_t& passed,
                         Try& try_victim) const {
    for (std::uint32_t i = end; i > begin;) {
      const std::uint32_t next = filled.previous(victims_[i - 1]);
      const std::uint32_t found = next == index_set::none ? begin : end_before(next, begin, i);
      passed += i - found;
      i = found;
      if (i == begin || victims_[i - 1] != next) continue;
      --i;
      if (try_victim(next)) return true;
    }
    return false;
  }
  [[nodiscard]] bool has_filled(std::uint32_t begin, std::uint32_t end, const index_set& filled) const noexcept {
    for (std::uint32_t i = begin; i < end;) {
      const std::uint32_t next = filled.next(victims_[i]);
      if (next == index_set::none || next > victims_[end - 1]) return false;
      i = position_of(next, i, end);
      if (victims_[i] == next) return true;
    }
    return false;
  }
  /// The first place from `begin` on, in a ring's part that ends at `end`, with `index` or a greater one.
  [[nodiscard]] std::uint32_t position_of(std::uint32_t index, std::uint32_t begin, std::uint32_t end) const noexcept {
    const std::uint32_t guess = begin + (index - victims_[begin]);  // where all numbers in between are in the ring
    if (guess < end && victims_[guess] == index) return guess;
    return static_cast<std::uint32_t>(std::lower_bound(victims_.begin() + begin, victims_.begin() + end, index) -
                                      victims_.begin());
  }

  /// The last place before `end`, in a ring's part that begins at `begin`, behind `index` or a lesser one.
  [[nodiscard]] std::uint32_t end_before(std::uint32_t index, std::uint32_t begin, std::uint32_t end) const noexcept {
    return static_cast<std::uint32_t>(std::upper_bound(victims_.begin() + begin, victims_.begin() + end, index) -
                                      victims_.begin());
  }

  std::vector<std::uint32_t> victims_;  // within a ring by number
  std::vector<std::uint32_t> ring_ends_;
};

/// The victims of worker `self` in `step`: workers if the step looks into deques, domains if it looks into remote
/// pools, else none.
[[nodiscard]] victim_order victims_of(const search_step& step, const worker_layout& layout, std::uint32_t self);

/// One round as a list.
[[nodiscard]] std::vector<std::uint32_t> choose_victims(const victim_order& victims, rng& random);

}  // namespace nearfork

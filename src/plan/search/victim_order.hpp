// Which victims a thief asks, in which order: rings of victims, nearest first; within a ring from a random start, by
// strides of random length.
//
// The rings of a worker never change, so they are made once. A round costs one random number per ring and no memory.
// The random start prevents that thieves which run out of work together all ask the same victim first. The strides
// prevent that all who begin among idle workers end at the first busy one behind them. With strides of one, that one
// was asked first up to 64 times as often as the mean of the busy ones; now none is 1.5 times as often. Simulated, a
// long task had taken 2% more time on worker 0 than on others.
#pragma once

#include <algorithm>
#include <array>
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
    return std::ranges::any_of(rings_, [&](const ring& each) { return walk(each, random, try_victim); });
  }
  /// As ask(), which takes the same random numbers; but victims that are not in `filled` are passed over, because they
  /// have nothing. `passed` grows by one for each of them that ask() would have called.
  template <class Try>
  bool ask_filled(rng& random, const index_set& filled, std::uint32_t& passed, Try&& try_victim) const {
    return std::ranges::any_of(rings_, [&](const ring& each) {
      if (filled.empty() || !has_filled(each, filled)) {
        random.skip(1);
        passed += each.end - each.begin;
        return false;
      }
      return walk(each, random, [&](std::uint32_t asked) {
        if (filled.contains(asked)) return try_victim(asked);
        ++passed;
        return false;
      });
    });
  }

  /// True if one of the victims is in `filled`. Takes the random numbers that ask_filled() takes until it finds one.
  [[nodiscard]] bool any_filled(rng& random, const index_set& filled) const noexcept {
    if (filled.empty()) {
      random.skip(rings_.size());
      return false;
    }
    return std::ranges::any_of(rings_, [&](const ring& each) {
      random.skip(1);
      return has_filled(each, filled);
    });
  }

 private:
  static constexpr std::uint32_t ways = 8;
  struct ring {
    std::uint32_t begin;
    std::uint32_t end;
    std::array<std::uint32_t, ways> strides{};  // their lengths; each comes to each victim once
  };
  void end_ring();
  /// Takes one random number.
  template <class Try>
  bool walk(const ring& in, rng& random, Try&& try_victim) const {
    const std::uint32_t size = in.end - in.begin;
    const std::uint32_t chosen = random.below(size * ways);
    const std::uint32_t stride = in.strides[chosen % ways];
    std::uint32_t at = chosen / ways;
    for (std::uint32_t left = size; left > 0; --left) {
      if (try_victim(victims_[in.begin + at])) return true;
      at += stride;
      if (at >= size) at -= size;
    }
    return false;
  }
  [[nodiscard]] bool has_filled(const ring& in, const index_set& filled) const noexcept {
    for (std::uint32_t i = in.begin; i < in.end;) {
      const std::uint32_t next = filled.next(victims_[i]);
      if (next == index_set::none || next > victims_[in.end - 1]) return false;
      i = position_of(next, i, in.end);
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

  std::vector<std::uint32_t> victims_;  // within a ring by number
  std::vector<ring> rings_;
};

/// The victims of worker `self` in `step`: workers if the step looks into deques, domains if it looks into remote
/// pools, else none.
[[nodiscard]] victim_order victims_of(const search_step& step, const worker_layout& layout, std::uint32_t self);

/// One round as a list.
[[nodiscard]] std::vector<std::uint32_t> choose_victims(const victim_order& victims, rng& random);

}  // namespace nearfork

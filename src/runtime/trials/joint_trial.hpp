// Whether the loops of a worker end sooner if it runs them alone: all of them together.
//
// A loop of some microseconds gains little from a second worker, which must fetch its part, and the lines of the data
// travel to it and back. Where a line takes 174 ns from core to core, 1000 doubles again and again took 1.27 us with
// two workers and 0.35 us with one; where it takes 26 ns, 0.29 and 0.24 us. Where a thread outside workers calls the
// loop, and waits for a worker that it woke, 30,000 doubles took 14 us, and 4 us alone.
//
// Which is faster depends on the loop before: if others share that one, half of its lines lie with them, and who runs
// the next one alone must fetch them. So it does not help to compare each loop as it runs usually and alone while the
// others do what they did. Twelve loops of 3 us over the same arrays took 4.6 to 5.3 us each where each place chose for
// itself, 3.5 if all were shared, and 3.5 if all ran alone; where a line takes 180 ns, 14 and 3.4. So all loops of a
// worker are timed as usual, then all alone, and then, where some were faster so and some so, each as it was faster.
// What took least together goes on, and is compared anew at times. A loop that runs alone is opened to the others once
// it takes twice as long as those before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/trials/overruns.hpp"

namespace nearfork {

/// Some loops of one place, timed.
class timed_loops {
 public:
  static constexpr std::uint32_t fewest = 3;
  static constexpr std::uint32_t most = 32;

  void add(std::uint64_t ticks) noexcept {
    if (count_ == most) return;
    ticks = std::min(ticks, longest_told);
    const auto told = static_cast<std::uint32_t>(ticks);
    sum_ += told;
    ++count_;
    if (told > longest_[0]) longest_ = {told, longest_[0]};
    else longest_[1] = std::max(longest_[1], told);
  }
  [[nodiscard]] bool are_enough() const noexcept { return count_ >= fewest; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  /// Without the two longest: they may have been interrupted, or have fetched what all others found.
  [[nodiscard]] std::uint64_t mean() const noexcept { return (sum_ - longest_[0] - longest_[1]) / (count_ - 2); }

 private:
  static constexpr std::uint64_t longest_told = 1U << 26U;  // some milliseconds; the sum has `most` of them

  std::uint32_t sum_ = 0;
  std::uint32_t count_ = 0;
  std::array<std::uint32_t, 2> longest_{};
};

/// What a worker knows of the loops of one place.
struct place_times {
  timed_loops usual;
  timed_loops alone;
  timed_loops mixed;
  std::uint32_t cycle = 0;   // that the next one is of
  std::uint32_t weight = 0;  // so many loops while all were timed as usual
  std::uint32_t paces = 0;   // the cycle in which all wait until this place is known
  std::uint32_t era = 0;     // that the next three are of
  std::uint32_t loops = 0;
  std::uint32_t helped = 0;  // of these
  bool is_slow = false;      // not alone again in this era
  overruns long_ones;        // that ran alone
};

/// Of one worker. Ticks are of any clock.
class joint_trial {
 public:
  // Counts are those of the place that is called most.
  static constexpr std::uint32_t loops_timed = 16;
  static constexpr std::uint32_t loops_to_settle = 128;  // as in short_loop_trial
  static constexpr std::uint32_t loops_helped = 16;
  static constexpr std::uint32_t longest_to_settle = 2048;
  static constexpr std::uint32_t shortest_hold = 256;
  static constexpr std::uint32_t longest_hold = 65536;
  static constexpr double least_gain = 1.03;

  /// Loops that take more than `longest_ticks` as usual are shared in any case.
  explicit joint_trial(std::uint64_t longest_ticks) noexcept : longest_ticks_(longest_ticks) {}

  [[nodiscard]] bool runs_alone(const place_times& one) const noexcept {
    if (one.is_slow && one.era == era_) return false;
    switch (now_) {
      case phase::times_alone: return may_be_alone(one);
      case phase::times_mixed: return is_faster_alone(one);
      case phase::alone: return is_measured(one) && may_be_alone(one);
      case phase::mixed: return is_faster_alone(one);
      case phase::settles:
      case phase::times_usual:
      case phase::usual: break;
    }
    return false;
  }
  [[nodiscard]] bool is_timed() const noexcept {
    return now_ == phase::times_usual || now_ == phase::times_alone || now_ == phase::times_mixed;
  }
  /// A loop of the place that runs alone is opened once it takes longer.
  [[nodiscard]] static std::uint64_t most_ticks(const place_times& one) noexcept {
    return 2 * (one.alone.are_enough() ? one.alone.mean() : one.usual.mean()) + 1;
  }
  /// Changes when other loops run alone than before.
  [[nodiscard]] std::uint32_t era() const noexcept { return era_; }

  /// What one loop has shown.
  struct seen_loop {
    std::uint32_t era;    // in which it began
    std::uint64_t ticks;  // that it took, if loops are timed
    bool alone;
    bool helped;  // others had a part of it, as far as is known
    bool opened;  // it ran alone for longer than most_ticks()
  };
  /// `for_each(f)` calls f with each place_times that there is.
  template <class ForEach>
  void ended(place_times& one, const seen_loop& seen, const ForEach& for_each) noexcept {
    come_to(one);
    if (seen.opened) {
      if (one.long_ones.add()) one.is_slow = true;
    } else {
      one.long_ones.fade();
    }
    if (seen.era != era_) return;
    ++one.loops;
    one.helped += seen.helped ? 1 : 0;
    note(one, seen);
    if (!is_over(one)) return;
    if (now_ == phase::times_alone) choose(for_each);
    else if (now_ == phase::times_mixed) choose_of_three(for_each);
    else go_to(next());
  }

 private:
  enum class phase : std::uint8_t { settles, times_usual, times_alone, times_mixed, usual, alone, mixed };

  [[nodiscard]] static bool is_measured(const place_times& one) noexcept {
    return one.usual.are_enough() && one.alone.are_enough();
  }
  [[nodiscard]] bool may_be_alone(const place_times& one) const noexcept {
    return one.usual.are_enough() && one.usual.mean() <= longest_ticks_;
  }
  [[nodiscard]] bool is_unknown(const place_times& one) const noexcept {
    return !one.usual.are_enough() || (may_be_alone(one) && !one.alone.are_enough());
  }
  [[nodiscard]] bool is_faster_alone(const place_times& one) const noexcept {
    return is_measured(one) && may_be_alone(one) && gains(one.alone.mean(), one.usual.mean());
  }
  [[nodiscard]] static bool gains(std::uint64_t ticks, std::uint64_t usual) noexcept {
    return static_cast<double>(usual) >= least_gain * static_cast<double>(ticks);
  }

  /// The first loop of the place in this cycle, or this era. Places that are called seldom gather times over cycles.
  void come_to(place_times& one) noexcept {
    if (one.cycle != cycle_) {
      if (one.usual.count() >= loops_timed) one.usual = one.alone = one.mixed = {};
      one.cycle = cycle_;
      one.weight = 0;
    }
    if (one.era == era_) return;
    one.era = era_;
    one.loops = one.helped = 0;
    one.is_slow = false;
  }
  void note(place_times& one, const seen_loop& seen) const noexcept {
    if (now_ == phase::times_usual) {
      one.usual.add(seen.ticks);
      ++one.weight;
    } else if (now_ == phase::times_alone && seen.alone) {
      one.alone.add(seen.ticks);
    } else if (now_ == phase::times_mixed) {
      one.mixed.add(seen.ticks);
    }
  }

  [[nodiscard]] static bool has_settled(const place_times& one) noexcept {
    return one.loops >= loops_to_settle && (one.helped >= loops_helped || one.loops >= longest_to_settle);
  }
  /// A place that is not known yet does not wait until the others are compared again; and then all wait for that one,
  /// which may be called seldom.
  [[nodiscard]] bool is_over(place_times& one) noexcept {
    if (now_ == phase::settles) return has_settled(one);
    if (is_timed() && !is_paced_) return one.loops >= loops_timed;
    if (is_timed()) return one.loops >= (one.paces == cycle_ ? timed_loops::fewest + 1 : longest_to_settle);
    is_paced_ = is_unknown(one) && has_settled(one);
    if (is_paced_) one.paces = cycle_ + 1;
    return is_paced_ || one.loops >= hold_;
  }
  /// After a hold in which loops ran alone, helpers sleep.
  [[nodiscard]] phase next() const noexcept {
    if (now_ == phase::settles) return phase::times_usual;
    if (now_ == phase::times_usual) return phase::times_alone;
    return phase::settles;
  }
  void go_to(phase to) noexcept {
    if (to == phase::settles) ++cycle_;
    now_ = to;
    ++era_;
  }
  /// A cycle has 144 loops of each place as usual. Where these take seven times as long as alone, which they do where
  /// lines are dear, holds of 256 loops and more cost as much again as the loops.
  void hold(phase choice, std::uint64_t usual, std::uint64_t chosen) noexcept {
    const std::uint64_t times_longer = std::min<std::uint64_t>(usual / std::max<std::uint64_t>(chosen, 1), 64);
    const auto least = static_cast<std::uint32_t>(times_longer < 2 ? 0 : times_longer * 8 * loops_to_settle);
    hold_ = choice == last_choice_ ? std::min(2 * hold_, longest_hold) : shortest_hold;
    hold_ = std::max(hold_, least);
    last_choice_ = choice;
    go_to(choice);
  }

  /// Of the places that were called in this cycle.
  template <class ForEach, class F>
  void for_each_compared(const ForEach& for_each, const F& act) const noexcept {
    for_each([&](place_times& one) {
      if (one.cycle == cycle_ && is_measured(one) && may_be_alone(one)) act(one);
    });
  }
  template <class ForEach>
  void choose(const ForEach& for_each) noexcept {
    std::uint64_t usual = 0;
    std::uint64_t alone = 0;
    bool some_alone = false;
    bool some_usual = false;
    for_each_compared(for_each, [&](const place_times& one) {
      usual += one.weight * one.usual.mean();
      alone += one.weight * one.alone.mean();
      (is_faster_alone(one) ? some_alone : some_usual) = true;
    });
    if (some_alone && some_usual) go_to(phase::times_mixed);
    else if (some_alone) hold(phase::alone, usual, alone);
    else hold(phase::usual, usual, usual);
  }
  template <class ForEach>
  void choose_of_three(const ForEach& for_each) noexcept {
    std::uint64_t usual = 0;
    std::uint64_t alone = 0;
    std::uint64_t mixed = 0;
    for_each_compared(for_each, [&](const place_times& one) {
      if (!one.mixed.are_enough()) return;
      usual += one.weight * one.usual.mean();
      alone += one.weight * one.alone.mean();
      mixed += one.weight * one.mixed.mean();
    });
    const std::uint64_t least = std::min(alone, mixed);
    if (!gains(least, usual)) hold(phase::usual, usual, usual);
    else hold(alone <= mixed ? phase::alone : phase::mixed, usual, least);
  }

  std::uint64_t longest_ticks_;
  phase now_ = phase::settles;
  phase last_choice_ = phase::usual;
  std::uint32_t cycle_ = 1;
  std::uint32_t era_ = 1;
  std::uint32_t hold_ = shortest_hold;
  bool is_paced_ = false;
};

}  // namespace nearfork

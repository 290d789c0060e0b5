// Whether the groups of one place in a program end sooner if nobody helps with them. (Loops: joint_trial.hpp.)
//
// What takes some microseconds gains little from a second worker, which must fetch its part, and the lines of the data
// travel to it and back. So some groups are timed as they run usually and some alone; what was faster goes on, and is
// compared anew at times. A group that runs alone is opened to the others once it takes twice as long as those before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/trials/overruns.hpp"

namespace nearfork {

/// Of one worker, and of loops that are alike. Ticks are of any clock.
class short_loop_trial {
 public:
  static constexpr std::uint32_t loops_timed = 16;
  // Until a helper that slept has come. Where the system ran it behind the caller for a millisecond, a loop of 3.2 us,
  // which takes 2.0 with help, was taken for one that is faster alone.
  static constexpr std::uint32_t loops_to_settle = 128;
  static constexpr std::uint32_t loops_helped = 16;         // of these
  static constexpr std::uint32_t longest_to_settle = 2048;  // if nobody comes
  static constexpr std::uint32_t shortest_hold = 256;       // loops between two comparisons
  static constexpr std::uint32_t longest_hold = 65536;
  static constexpr double least_gain = 1.03;

  [[nodiscard]] bool runs_alone() const noexcept { return now_ == phase::times_alone || now_ == phase::alone; }
  [[nodiscard]] bool is_timed() const noexcept { return now_ == phase::times_usual || now_ == phase::times_alone; }
  /// A loop that runs alone is opened once it takes longer.
  [[nodiscard]] std::uint64_t most_ticks() const noexcept { return most_ticks_; }

  /// A loop has ended that was not opened. `ticks`: how long it took, if it was timed. Loops that take more than
  /// `longest_ticks` as usual are shared in any case. `helped`: others have had a part of it, as far as is known.
  void ended(std::uint64_t ticks, std::uint64_t longest_ticks, bool helped = true) noexcept {
    ++loops_;
    helped_ += helped ? 1 : 0;
    long_ones_.fade();
    if (is_timed()) note(ticks);
    switch (now_) {
      case phase::settles:
        if (loops_ >= loops_to_settle && (helped_ >= loops_helped || loops_ >= longest_to_settle))
          go_to(phase::times_usual);
        break;
      case phase::times_usual:
        if (loops_ < loops_timed) break;
        usual_ = mean();
        most_ticks_ = most_for(usual_);
        go_to(usual_ > longest_ticks ? phase::usual : phase::times_alone);
        break;
      case phase::times_alone:
        if (loops_ == loops_timed) compare();
        break;
      case phase::usual:
      case phase::alone:
        if (loops_ >= hold_) go_to(phase::settles);
        break;
    }
  }

  /// A loop that ran alone took longer than most_ticks().
  void opened() noexcept {
    if (long_ones_.add()) {
      hold_ = now_ == phase::times_alone && !was_faster_ ? std::min(2 * hold_, longest_hold) : shortest_hold;
      was_faster_ = false;
      go_to(phase::usual);
    } else {
      ended(most_ticks_, most_ticks_);
    }
  }

 private:
  enum class phase : std::uint8_t { settles, times_usual, times_alone, usual, alone };

  void go_to(phase next) noexcept {
    now_ = next;
    loops_ = 0;
    helped_ = 0;
    sum_ = 0;
    longest_ = {};
    long_ones_ = {};
  }
  void note(std::uint64_t ticks) noexcept {
    sum_ += ticks;
    if (ticks > longest_[0]) longest_ = {ticks, longest_[0]};
    else longest_[1] = std::max(longest_[1], ticks);
  }
  /// Without the two longest: they may have been interrupted.
  [[nodiscard]] std::uint64_t mean() const noexcept { return (sum_ - longest_[0] - longest_[1]) / (loops_timed - 2); }
  [[nodiscard]] static std::uint64_t most_for(std::uint64_t mean) noexcept { return 2 * mean + 1; }

  void compare() noexcept {
    const std::uint64_t alone = mean();
    const bool is_faster = static_cast<double>(usual_) >= least_gain * static_cast<double>(alone);
    hold_ = is_faster == was_faster_ ? std::min(2 * hold_, longest_hold) : shortest_hold;
    was_faster_ = is_faster;
    most_ticks_ = most_for(alone);
    go_to(is_faster ? phase::alone : phase::usual);
  }

  phase now_ = phase::settles;
  bool was_faster_ = false;
  std::uint32_t loops_ = 0;   // of this phase
  std::uint32_t helped_ = 0;  // of these
  std::uint32_t hold_ = shortest_hold;
  overruns long_ones_;  // that ran alone
  std::uint64_t sum_ = 0;
  std::array<std::uint64_t, 2> longest_{};
  std::uint64_t usual_ = 0;
  std::uint64_t most_ticks_ = 0;
};

}  // namespace nearfork

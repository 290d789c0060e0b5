// Whether a graph goes on faster with one worker more, or without it.
//
// Where tasks take less than about a microsecond, what two workers hand each other with every task - the graph's lock,
// the task's block, the lines of its data - can take longer than running it: 6400 empty tasks took 304 us with one
// worker and 517 us with two. So a worker that helps with such tasks holds still now and then and looks how fast the
// others are alone. If they are faster it goes on to hold still, and helps again once they are slower than with it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nearfork {

/// Of one worker that runs tasks of a graph. `steps`: how many tasks of the graph were created, and how many have
/// ended, together.
class help_trial {
 public:
  static constexpr std::uint32_t tasks_of_a_look = 16;
  static constexpr std::uint64_t helping_ns = 10'000;           // as long the graph is timed with this worker
  static constexpr std::uint64_t holding_ns = 5'000;            // and without it
  static constexpr std::uint64_t longest_hold_ns = 500'000;     // then it helps as long as is timed
  static constexpr std::uint64_t longest_apart_ns = 5'000'000;  // trials that were in vain
  static constexpr std::uint64_t longest_tiny_ns = 2'000;       // longer tasks are worth the handing over
  static constexpr double least_gain = 1.1;

  /// A task has run. True: ask holds_still().
  [[nodiscard]] bool ran_one() noexcept { return ++ran_ % tasks_of_a_look == 0; }

  /// True: hold still, and ask helps_again() all the time.
  [[nodiscard]] bool holds_still(std::uint64_t now_ns, std::uint64_t steps) noexcept {
    if (helps_since_ns_ == 0) help_from(now_ns, steps);
    const std::uint64_t took_ns = now_ns - timed_from_ns_;
    if (took_ns < helping_ns) return false;
    const bool tiny = took_ns < ran_ * longest_tiny_ns;
    with_ = rate(took_ns, steps);
    time_from(now_ns, steps);
    if (!tiny || now_ns - helps_since_ns_ < apart_ns_) return false;
    holds_since_ns_ = now_ns;
    seen_alone_ = alone::settles;
    return true;
  }

  /// The others are faster alone.
  [[nodiscard]] bool is_sure() const noexcept { return seen_alone_ == alone::faster; }
  /// It is time to ask helps_again(): who looks at the steps more often slows those down who count them.
  [[nodiscard]] bool has_held(std::uint64_t now_ns) const noexcept { return now_ns - timed_from_ns_ >= holding_ns; }
  /// True: help on.
  [[nodiscard]] bool helps_again(std::uint64_t now_ns, std::uint64_t steps) noexcept {
    const std::uint64_t took_ns = now_ns - timed_from_ns_;
    const double seen = rate(took_ns, steps);
    time_from(now_ns, steps);
    if (seen_alone_ == alone::settles) {
      seen_alone_ = alone::tried;
      return false;
    }
    const bool in_vain = seen_alone_ == alone::tried && seen < least_gain * with_;
    seen_alone_ = alone::faster;
    if (!in_vain && seen > with_ && now_ns - holds_since_ns_ < longest_hold_ns) return false;
    apart_ns_ = in_vain ? std::min(2 * apart_ns_, longest_apart_ns) : helping_ns;
    help_from(now_ns, steps);
    return true;
  }

 private:
  [[nodiscard]] double rate(std::uint64_t took_ns, std::uint64_t steps) const noexcept {
    return static_cast<double>(steps - timed_steps_) / static_cast<double>(took_ns);
  }
  void time_from(std::uint64_t now_ns, std::uint64_t steps) noexcept {
    timed_from_ns_ = now_ns;
    timed_steps_ = steps;
    ran_ = 0;
  }
  void help_from(std::uint64_t now_ns, std::uint64_t steps) noexcept {
    helps_since_ns_ = now_ns;
    time_from(now_ns, steps);
  }

  std::uint32_t ran_ = 0;
  std::uint64_t timed_from_ns_ = 0;
  std::uint64_t timed_steps_ = 0;
  std::uint64_t helps_since_ns_ = 0;
  std::uint64_t holds_since_ns_ = 0;
  std::uint64_t apart_ns_ = helping_ns;
  double with_ = 0;  // steps in a nanosecond
  // At first the others still fetch what this worker has written.
  enum class alone : std::uint8_t { settles, tried, faster } seen_alone_ = alone::settles;
};

}  // namespace nearfork

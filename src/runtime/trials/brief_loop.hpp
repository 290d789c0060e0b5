// Whether the loops of one place in a program are so brief that nobody can help.
//
// A steal takes 0.2 to 0.5 us, and what the thief has written comes back line by line when its caller reads it. So a
// loop of half a microsecond is better left alone, also where it looks as fast with help: k-cores of 4096 nodes, 12,000
// loops, took 2.8 ms on one worker and 3.5 on two. And a program of many places comes to few of them so often that it
// pays to compare (short_loop_trial.hpp). So once a loop of a place was short, the next ones run alone, but for no
// longer than some microseconds. If they are brief, that goes on; else the trial begins.
#pragma once

#include <cstdint>

#include "runtime/trials/overruns.hpp"

namespace nearfork {

/// Of one worker, and of loops that are alike. Ticks are of any clock.
class brief_loop {
 public:
  static constexpr std::uint32_t loops_timed = 16;

  /// False: the loops of this place take longer.
  [[nodiscard]] bool may_be() const noexcept { return state_ != state::longer; }
  [[nodiscard]] bool runs_alone() const noexcept {
    return state_ == state::brief || (state_ == state::unknown && was_short_);
  }
  [[nodiscard]] bool is_timed() const noexcept { return state_ == state::unknown; }

  /// A loop has ended that was not opened, after so many ticks if it was timed.
  void ended(std::uint64_t ticks, std::uint64_t brief_ticks, std::uint64_t short_ticks) noexcept {
    if (state_ != state::unknown) return long_ones_.fade();
    was_short_ = ticks <= short_ticks;
    if (!was_short_) return opened();
    long_ones_.fade();
    sum_ += ticks;
    if (++loops_ == loops_timed) state_ = sum_ <= loops_timed * brief_ticks ? state::brief : state::longer;
  }
  /// A loop took longer than a short one does. The first one of a place often finds nothing in the caches.
  void opened() noexcept {
    if (long_ones_.add()) state_ = state::longer;
  }

 private:
  enum class state : std::uint8_t { unknown, brief, longer };

  state state_ = state::unknown;
  bool was_short_ = false;
  std::uint32_t loops_ = 0;
  overruns long_ones_;
  std::uint64_t sum_ = 0;
};

}  // namespace nearfork

// The workers of one graph that hold still because the others are faster without them (help_trial.hpp).
//
// All but is_hindrance(), rest() and wake() is called under the graph's lock, which orders it.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

#include "base/monotonic_clock.hpp"
#include "runtime/trials/help_trial.hpp"

namespace nearfork {

class resting_workers {
 public:
  // For help_trial: one worker creates an empty task in 30 ns, and runs it in 15.
  static constexpr std::uint64_t steps_to_create = 2;
  static constexpr std::uint64_t steps_to_end = 1;

  void count_steps(std::uint64_t more) noexcept {
    steps_.store(steps_.load(detail::seam::memory_order_relaxed) + more, detail::seam::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return resting_; }
  void begin_rest() noexcept { ++resting_; }
  void end_rest() noexcept {
    --resting_;
    ended_.store(0, detail::seam::memory_order_relaxed);
  }
  /// Nobody else runs tasks. Call wake() afterwards; a graph that is gone then does no harm, as the kernel is only told
  /// its address.
  void end_all() noexcept { ended_.store(1, detail::seam::memory_order_relaxed); }
  void wake() noexcept { detail::seam::futex_wake_all(ended_); }

  /// True: the calling worker should rest().
  [[nodiscard]] bool is_hindrance(help_trial& helps) const noexcept {
    return helps.holds_still(now_ns(), steps_.load(detail::seam::memory_order_relaxed));
  }
  /// Between begin_rest() and end_rest(): returns some microseconds after the others have become slow, after
  /// end_all(), and when `must_stop()` is true.
  template <class Stop>
  void rest(help_trial& helps, const Stop& must_stop) noexcept {
    namespace seam = detail::seam;
    constexpr int pauses_of_a_look = 16;
    constexpr std::uint64_t nap_ns = 20'000;
    while (ended_.load(seam::memory_order_relaxed) == 0 && !must_stop()) {
      // A nap is longer than a trial; but who spins takes from the other thread of its core.
      if (helps.is_sure()) seam::futex_wait_for(ended_, 0, nap_ns);
      else
        for (int i = 0; i < pauses_of_a_look; ++i) seam::pause();
      const std::uint64_t now = now_ns();
      if (helps.has_held(now) && helps.helps_again(now, steps_.load(seam::memory_order_relaxed))) return;
    }
  }

 private:
  detail::seam::atomic<std::uint64_t> steps_{0};
  std::uint32_t resting_ = 0;
  // In a line of its own, because who rests looks at it all the time.
  alignas(detail::cache_line_bytes) detail::seam::atomic<std::uint32_t> ended_{0};
};

}  // namespace nearfork

// How a thread lets others catch up that it must not wait for: they may wait for what it does next.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace nearfork {

/// When such a wait is due. Where the others are too slow for it, it is due less and less often.
class catch_up {
 public:
  /// Waits for some tenths of a millisecond, or until caught_up(). What that said last.
  template <class CaughtUp>
  static bool wait(const CaughtUp& caught_up) noexcept {
    constexpr std::chrono::microseconds moment{20};  // 75 with what the system adds: a worker runs 1000 tiny tasks
    constexpr int most_moments = 4;
    for (int i = 0; i != most_moments; ++i) {
      std::this_thread::sleep_for(moment);
      if (caught_up()) return true;
    }
    return false;
  }

  /// `made`: how many things for the others were made so far.
  [[nodiscard]] bool is_due(std::uint64_t made) const noexcept { return made >= from_; }
  /// After a wait, which has said so.
  void ended(std::uint64_t made, bool caught_up) noexcept {
    from_ = caught_up ? made : made + gap_;
    gap_ = caught_up ? first_gap : 2 * gap_;
  }
  /// `made` begins at 0 again.
  void begin_again() noexcept { from_ = 0; }

 private:
  static constexpr std::uint64_t first_gap = 2048;

  std::uint64_t from_ = 0;
  std::uint64_t gap_ = first_gap;
};

}  // namespace nearfork

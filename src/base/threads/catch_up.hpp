// How a thread lets others catch up that it must not wait for: they may wait for what it does next.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace nearfork {

/// When such a wait is due. Where the others are too slow for it, it is due less and less often.
class catch_up {
 public:
  struct progress {
    bool caught_up;
    std::uint64_t done;  // things that the others have done; it only grows
  };
  /// Waits until they have caught up, for some tenths of a millisecond; longer, but not for ever, as long as they do
  /// more than a thing in 0.3 us. `look` returns their progress, and is not called again once they have caught up.
  /// Whether they have.
  template <class Look>
  static bool wait(const Look& look) noexcept {
    constexpr std::chrono::microseconds moment{20};  // 75 with what the system adds
    constexpr std::uint64_t quick = 256;
    constexpr int most_slow_moments = 4;
    constexpr int most_moments = 64;
    progress before = look();
    if (before.caught_up) return true;
    for (int i = 0, slow = 0; i != most_moments && slow != most_slow_moments; ++i) {
      std::this_thread::sleep_for(moment);
      const progress now = look();
      if (now.caught_up) return true;
      if (now.done - before.done < quick) ++slow;
      before = now;
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

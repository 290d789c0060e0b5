// What a thread that is no worker sleeps on until a worker is done.
//
// [E2] set() exchanges the word, and a thread sleeps only while the word says `asleep`, which the thread wrote by a
//      compare-exchange. So set() sees the sleeper, or the sleeper sees `done`. Mutant: event_looks_before_it_ends.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

class done_signal {
 public:
  /// Acquire: the caller sees what came before set().
  [[nodiscard]] bool is_set() const noexcept { return word_.load(seam::memory_order_acquire) == done; }

  /// Call it once. A thread that sees the signal may destroy it at once: the wake-up goes to its address alone.
  void set() noexcept {
    if (word_.exchange(done, seam::memory_order_acq_rel) == asleep) seam::futex_wake_all(word_);  // [E2]
  }

  /// The same by the only thread that may sleep here.
  void set_by_sleeper() noexcept { word_.store(done, seam::memory_order_release); }

  /// Returns when the signal is set.
  void sleep() noexcept {
    sleep_by([](seam::atomic<std::uint32_t>& word, std::uint32_t expected) { seam::futex_wait(word, expected); });
  }
  /// The same. wait(word, expected) sleeps while the word is as expected, and may return early.
  template <class Wait>
  void sleep_by(Wait&& wait) noexcept {
    while (!is_set()) {
      std::uint32_t seen = pending;
      if (!word_.compare_exchange_strong(seen, asleep, seam::memory_order_acq_rel, seam::memory_order_acquire) &&
          seen == done)
        return;
      wait(word_, asleep);
    }
  }

 private:
  static constexpr std::uint32_t pending = 0;
  static constexpr std::uint32_t asleep = 1;
  static constexpr std::uint32_t done = 2;
  seam::atomic<std::uint32_t> word_{pending};
};

}  // namespace nearfork::detail

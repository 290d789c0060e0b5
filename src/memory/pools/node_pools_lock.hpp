// A lock of one word. It is not a std::mutex, because fork() takes all locks of the pools, 13 per node, and the thread
// sanitizer's deadlock detector ends the program if one thread holds more than 64 mutexes.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

#include "base/sanitizer_calls.hpp"

namespace nearfork {

/// For std::lock_guard. Drepper's third mutex ("Futexes Are Tricky", 2011, section 6).
class pool_lock {
 public:
  void lock() noexcept {
    std::uint32_t seen = open;
    if (!word_.compare_exchange_strong(seen, held, detail::seam::memory_order_acquire,  // [B4]
                                       detail::seam::memory_order_relaxed)) {
      // A thread that waited once leaves `awaited` behind, because other threads may be asleep.
      while (word_.exchange(awaited, detail::seam::memory_order_acquire) != open)
        detail::seam::futex_wait(word_, awaited);  // [B4]
    }
    sanitizers::take_over(this);
  }
  void unlock() noexcept {
    sanitizers::hand_over(this);
    if (word_.exchange(open, detail::seam::memory_order_release) == awaited)
      detail::seam::futex_wake_one(word_);  // [B4], [B5]
  }

 private:
  static constexpr std::uint32_t open = 0, held = 1, awaited = 2;
  detail::seam::atomic<std::uint32_t> word_{open};
};

}  // namespace nearfork

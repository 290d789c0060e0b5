// A lock that is held for some tens of nanoseconds, and never while anything else is waited for.
#pragma once

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// A mutex of the system would send a thread to sleep that had to wait for less than the call takes. A thread that
/// spins here gives its core away now and then, because the thread that has the lock may want the core.
class short_lock {
 public:
  /// Acquire: pairs with unlock().
  void lock() noexcept {
    constexpr unsigned most_pauses = 64;
    for (unsigned pauses = 1; locked_.exchange(true, detail::seam::memory_order_acquire);) {
      // Load first: else the threads that wait would take the cache line from each other. Relaxed: the exchange
      // decides.
      while (locked_.load(detail::seam::memory_order_relaxed)) {
        for (unsigned i = 0; i < pauses; ++i) detail::seam::pause();
        if (pauses < most_pauses) pauses *= 2;
        else detail::seam::yield();
      }
    }
  }
  /// The last look at the lock: a thread that locks next may destroy it. Release: pairs with lock().
  void unlock() noexcept { locked_.store(false, detail::seam::memory_order_release); }

 private:
  detail::seam::atomic<bool> locked_{false};
};

}  // namespace nearfork

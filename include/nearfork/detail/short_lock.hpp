// A lock that is held for some tens of nanoseconds, and never while anything else is waited for.
#pragma once

#include <nearfork/detail/language.hpp>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

/// A mutex of the system would send a thread to sleep that had to wait for less than the call takes. A thread that
/// spins here gives its core away now and then, because the thread that has the lock may want the core.
class short_lock {
 public:
  /// Acquire: pairs with unlock().
  void lock() noexcept {
    constexpr unsigned most_pauses = 64;
    for (unsigned pauses = 1; locked_.exchange(true, seam::memory_order_acquire);) {
      // Load first: else the threads that wait would take the cache line from each other. Relaxed: the exchange
      // decides.
      while (locked_.load(seam::memory_order_relaxed)) {
        for (unsigned i = 0; i < pauses; ++i) seam::pause();
        if (pauses < most_pauses) pauses *= 2;
        else seam::yield();
      }
    }
  }
  /// The last look at the lock: a thread that locks next may destroy it. Release: pairs with lock().
  void unlock() noexcept { locked_.store(false, seam::memory_order_release); }

 private:
  seam::atomic<bool> locked_{false};
};

}  // namespace nearfork::detail

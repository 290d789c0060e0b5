// What a process makes at its first use and keeps to its end: unlike a function's static it is never destroyed, so that whatever runs at
// exit may use it, and fork() waits while it is being made, so that a child does not wait for a thread that it does not have.
#pragma once

#include <mutex>
#include <type_traits>

#include <nearfork/detail/seam.hpp>

#include "base/fork_order.hpp"

namespace nearfork {

/// As a static constinit variable. `make` may throw; the next call tries again.
template <class T>
class made_once {
 public:
  template <class Make>
  T& get(Make&& make) {
    // Acquire: what the maker wrote.
    if (T* const made = made_.load(detail::seam::memory_order_acquire)) return *made;
    const no_fork_meanwhile until_made;
    const std::lock_guard lock(making_);
    if (T* const made = made_.load(detail::seam::memory_order_relaxed)) return *made;  // by the lock
    T* const made = new T(make());
    made_.store(made, detail::seam::memory_order_release);
    return *made;
  }

 private:
  std::mutex making_;
  detail::seam::atomic<T*> made_{nullptr};
};
static_assert(std::is_trivially_destructible_v<made_once<int>>);

}  // namespace nearfork

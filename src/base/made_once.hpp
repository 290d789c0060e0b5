// A value that a process makes at its first use and keeps to its end. Unlike a function's static it is never destroyed,
// so that code that runs at exit may use it. And fork() waits while it is being made, so that a child does not wait for
// a thread that it does not have.
#pragma once

#include <mutex>
#include <type_traits>

#include <nearfork/detail/seam.hpp>

#include "base/fork_order.hpp"
#include "base/sanitizer_calls.hpp"

namespace nearfork {

/// Use it as a static constinit variable. `make` may throw; then the next call tries again.
template <class T>
class made_once {
 public:
  template <class Make>
  T& get(Make&& make) {
    // Acquire: pairs with the maker's release.
    if (T* const made = made_.load(detail::seam::memory_order_acquire)) {
      sanitizers::take_over(this);
      return *made;
    }
    const no_fork_meanwhile until_made;
    const std::lock_guard lock(making_);
    if (T* const made = made_.load(detail::seam::memory_order_relaxed)) return *made;  // guarded by the lock
    T* const made = new T(make());
    sanitizers::hand_over(this);
    made_.store(made, detail::seam::memory_order_release);
    return *made;
  }

 private:
  std::mutex making_;
  detail::seam::atomic<T*> made_{nullptr};
};
static_assert(std::is_trivially_destructible_v<made_once<int>>);

}  // namespace nearfork

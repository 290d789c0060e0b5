// A short lock that thread sanitizers of programs know: the library is not instrumented, its users' programs may be.
#pragma once

#include <nearfork/detail/short_lock.hpp>

#include "base/sanitizer_calls.hpp"

namespace nearfork {

class told_lock {
 public:
  void lock() noexcept {
    lock_.lock();
    sanitizers::take_over(this);
  }
  /// As short_lock: a thread that locks next may destroy it.
  void unlock() noexcept {
    sanitizers::hand_over(this);
    lock_.unlock();
  }

 private:
  detail::short_lock lock_;
};

}  // namespace nearfork

// An object of each thread that is destroyed at the thread's end. The GNU C library announces its destructor under a
// lock of its loader, which fork()'s child finds as it was; so fork() waits for that.
#pragma once

#include "base/fork_order.hpp"

namespace nearfork {

/// The calling thread's T, made at its first call. Not to be called once it is destroyed.
template <class T>
[[nodiscard]] T& thread_object() {
  static constinit thread_local T* made = nullptr;
  if (made == nullptr) {
    const no_fork_meanwhile until_announced;
    thread_local T it;
    made = &it;
  }
  return *made;
}

}  // namespace nearfork

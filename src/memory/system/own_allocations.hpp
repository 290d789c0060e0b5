// What nearfork itself allocates is no data of the program: it is not placed where libnearfork-malloc.so is in use
// (runtime/malloc). That also keeps placed memory from entering itself while its lock is held.
#pragma once

#include <mutex>

namespace nearfork {

/// While it lives, what this thread allocates is nearfork's own. It nests. No fiber may switch meanwhile.
class own_allocations {
 public:
  own_allocations() noexcept { enter(); }
  ~own_allocations() { leave(); }
  own_allocations(const own_allocations&) = delete;
  own_allocations& operator=(const own_allocations&) = delete;

  [[nodiscard]] static bool are_here() noexcept { return depth > 0; }
  static void enter() noexcept { ++depth; }
  static void leave() noexcept { --depth; }

 private:
  static inline constinit thread_local unsigned depth = 0;
};

/// A lock whose holder allocates for nearfork.
class lock_of_own_data {
 public:
  void lock() {
    mutex_.lock();
    own_allocations::enter();
  }
  void unlock() noexcept {
    own_allocations::leave();
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
};

}  // namespace nearfork

// Counts the threads that write while the process may exit, and lets exit wait for them.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

/// `process` is the number of the calling process. A child made by fork() has no writers of its parent.
class process_writers {
 public:
  /// Process and count change together: in two steps, the first two writers of a process could count as one.
  void begin(std::uint32_t process) noexcept {
    auto seen = state_.load(seam::memory_order_relaxed);
    while (!state_.compare_exchange_weak(seen, state_of(process, writers_of(process, seen) + 1),
                                         seam::memory_order_acq_rel, seam::memory_order_relaxed)) {
    }
  }
  /// Release: a waiter that sees the end sees what was written.
  void end() noexcept {
    state_.fetch_sub(1, seam::memory_order_release);
    endings_.fetch_add(1, seam::memory_order_release);
    seam::futex_wake_all(endings_);
  }
  /// Returns when no thread writes.
  void wait(std::uint32_t process) noexcept {
    for (;;) {
      const std::uint32_t ended = endings_.load(seam::memory_order_acquire);
      if (writers_of(process, state_.load(seam::memory_order_acquire)) == 0) return;
      seam::futex_wait(endings_, ended);
    }
  }

 private:
  static std::uint64_t state_of(std::uint32_t process, std::uint32_t writers) noexcept {
    return std::uint64_t{process} << 32 | writers;
  }
  static std::uint32_t writers_of(std::uint32_t process, std::uint64_t state) noexcept {
    return state >> 32 == process ? static_cast<std::uint32_t>(state) : 0;
  }

  seam::atomic<std::uint64_t> state_{0};    // process and writers
  seam::atomic<std::uint32_t> endings_{0};  // what waiters sleep on
};

}  // namespace nearfork

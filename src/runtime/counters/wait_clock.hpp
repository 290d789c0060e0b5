// How long a worker has been without work. The worker starts and stops the clock; any thread reads it.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// One word, so that a reader never sees half of a change. While the clock stands: twice the time waited. While it
/// runs: one more than twice the difference of the time waited and the time of the start. Times are modulo 2^63 ns,
/// which is 292 years.
class wait_clock {
 public:
  /// By its worker.
  void start(std::uint64_t now_ns) noexcept {
    const std::uint64_t word = word_.load(detail::seam::memory_order_relaxed);
    if (!runs(word)) word_.store((((word >> 1) - now_ns) << 1) | 1, detail::seam::memory_order_release);
  }
  /// By its worker.
  void stop(std::uint64_t now_ns) noexcept {
    const std::uint64_t word = word_.load(detail::seam::memory_order_relaxed);
    if (runs(word)) word_.store(((word >> 1) + now_ns) << 1, detail::seam::memory_order_release);
  }
  /// The same without the time. What the clock shows jumps, so that a difference of two readings counts only if neither
  /// of these was called in between.
  void start_unread() noexcept { turn(1); }
  void stop_unread() noexcept { turn(0); }
  /// The worker has work, as far as another thread can see.
  [[nodiscard]] bool stands() const noexcept { return !runs(word_.load(detail::seam::memory_order_relaxed)); }
  /// Calls `now` after reading the word, so that the time is not before the start that was read.
  template <class Now>
  [[nodiscard]] std::uint64_t waited_ns(Now&& now) const noexcept {
    const std::uint64_t word = word_.load(detail::seam::memory_order_acquire);
    return runs(word) ? (((word >> 1) + now()) << 1) >> 1 : word >> 1;
  }

 private:
  void turn(std::uint64_t running) noexcept {
    const std::uint64_t word = word_.load(detail::seam::memory_order_relaxed);
    word_.store(word >> 1 << 1 | running, detail::seam::memory_order_release);
  }
  static constexpr bool runs(std::uint64_t word) noexcept { return (word & 1) != 0; }
  detail::seam::atomic<std::uint64_t> word_{0};
};

}  // namespace nearfork

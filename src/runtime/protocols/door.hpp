// Counts the visits inside, until the door is closed.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

class door {
 public:
  /// False: the door is closed.
  [[nodiscard]] bool try_enter() noexcept {
    // Acquire: pairs with the release of close(), so that a refused thread sees what came before. The rest is as in a
    // lock.
    if ((inside_.fetch_add(1, seam::memory_order_acquire) & closed) == 0) return true;
    leave();
    return false;
  }
  /// Called while another visit goes on. Enters even if the door is being closed.
  void enter_beside() noexcept { inside_.fetch_add(1, seam::memory_order_relaxed); }
  /// The door may be gone afterwards: the wake goes to an address only. Release: the thread that closes sees what was
  /// done inside.
  void leave() noexcept {
    if (inside_.fetch_sub(1, seam::memory_order_release) == closed + 1) seam::futex_wake_all(inside_);
  }

  /// False: it is closed, and stays so.
  [[nodiscard]] bool is_open() const noexcept { return (inside_.load(seam::memory_order_relaxed) & closed) == 0; }
  /// How many visits are inside. Acquire: a thread that took something which a visit brought sees that visit.
  [[nodiscard]] std::uint32_t visits() const noexcept { return inside_.load(seam::memory_order_acquire) & ~closed; }
  [[nodiscard]] bool looks_empty() const noexcept { return inside_.load(seam::memory_order_acquire) == 0; }
  /// True: no visit was inside, and none will be.
  [[nodiscard]] bool close_if_empty() noexcept {
    std::uint32_t no_thread = 0;
    return inside_.compare_exchange_strong(no_thread, closed, seam::memory_order_acq_rel, seam::memory_order_relaxed);
  }
  /// Returns when all visits have left.
  void close() noexcept {
    for (auto seen = inside_.fetch_or(closed, seam::memory_order_acq_rel) | closed; seen != closed;
         seen = inside_.load(seam::memory_order_acquire))
      seam::futex_wait(inside_, seen);
  }

 private:
  static constexpr std::uint32_t closed = std::uint32_t{1} << 31;
  seam::atomic<std::uint32_t> inside_{0};
};

}  // namespace nearfork

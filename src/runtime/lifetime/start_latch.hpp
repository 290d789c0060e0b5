// A point that a number of threads must reach before others go on.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

class start_latch {
 public:
  /// Release: a waiting thread sees what came before.
  void arrive() noexcept {
    arrived_.fetch_add(1, detail::seam::memory_order_acq_rel);
    detail::seam::futex_wake_all(arrived_);
  }
  void wait_for(std::uint32_t expected) noexcept {
    for (;;) {
      const std::uint32_t arrived = arrived_.load(detail::seam::memory_order_acquire);
      if (arrived >= expected) return;
      detail::seam::futex_wait(arrived_, arrived);
    }
  }

 private:
  detail::seam::atomic<std::uint32_t> arrived_{0};
};

}  // namespace nearfork

// Ends the writing of frequencies for good, also from a signal handler in the middle of a write.
//
// [F1] The writer enters before it writes and leaves afterwards; it enters no closed gate.
// [F2] Who closes the gate waits until the writer has left. So no write comes after those that restore.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

class write_gate {
 public:
  /// [F1] False: the gate is closed. Only one thread enters.
  [[nodiscard]] bool try_enter() noexcept {
    std::uint32_t expected = 0;
    // Acquire: nothing that is written moves before this. Pairs with close().
    return state_.compare_exchange_strong(expected, inside, detail::seam::memory_order_acquire,
                                          detail::seam::memory_order_relaxed);
  }
  /// Release: close() sees the writes as done.
  void leave() noexcept { state_.fetch_sub(inside, detail::seam::memory_order_release); }

  /// [F2] May be called by any thread, often, and in a signal handler that did not interrupt the writer. Waits for the
  /// writer, which only writes to files; but for `most_tries` at most, because a process that is to end must end.
  /// False: the writer was still inside then.
  bool close(std::uint32_t most_tries = default_tries) noexcept {
    std::uint32_t seen = state_.fetch_add(one_closing, detail::seam::memory_order_acq_rel);
    for (std::uint32_t tries = 0; (seen & inside) != 0; ++tries) {
      if (tries == most_tries) return false;
      detail::seam::yield();
      seen = state_.load(detail::seam::memory_order_acquire);
    }
    return true;
  }
  [[nodiscard]] bool is_closed() const noexcept {
    return state_.load(detail::seam::memory_order_relaxed) >= one_closing;
  }

 private:
  static constexpr std::uint32_t inside = 1;
  static constexpr std::uint32_t one_closing = 2;
  static constexpr std::uint32_t default_tries = 1'000'000;  // a yield takes 0.3 us or more
  detail::seam::atomic<std::uint32_t> state_{0};
};

}  // namespace nearfork

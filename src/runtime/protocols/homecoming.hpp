// A fiber whose awaited job has ended goes home: to the worker that ran it before, if that one searches for work.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

/// The place of one worker for a fiber that comes home. It is open while the worker looks at it again and again, so no
/// fiber waits there for long; and who gave one may have it back until it is taken. Each fiber that is given is
/// returned once: to its worker by try_take() or close(), or to a giver by take_back().
template <class Fiber>
class homecoming {
 public:
  // --- the worker ---

  void open() noexcept {
    if (here_.load(seam::memory_order_relaxed) == is_closed) here_.store(is_open, seam::memory_order_relaxed);
  }
  /// Whether a fiber is there.
  [[nodiscard]] bool is_taken() const noexcept { return here_.load(seam::memory_order_relaxed) > is_open; }
  /// nullptr: nobody has come home. Else the place is closed.
  [[nodiscard]] Fiber* try_take() noexcept { return is_taken() ? close() : nullptr; }
  /// Returns who came home meanwhile, or nullptr. Acquire: the worker sees what the giver did.
  [[nodiscard]] Fiber* close() noexcept {
    const std::uintptr_t here = here_.exchange(is_closed, seam::memory_order_acquire);
    return here <= is_open ? nullptr : reinterpret_cast<Fiber*>(here);
  }
  /// Before the worker sleeps. A fiber that came at this moment is left to its giver, which takes it back.
  void close_if_empty() noexcept {
    std::uintptr_t expected = is_open;
    (void)here_.compare_exchange_strong(expected, is_closed, seam::memory_order_relaxed, seam::memory_order_relaxed);
  }

  // --- others ---

  /// False: the place is not open, or taken.
  [[nodiscard]] bool give(Fiber& comes) noexcept {
    std::uintptr_t expected = is_open;
    return here_.load(seam::memory_order_relaxed) == is_open &&
           here_.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(&comes), seam::memory_order_release,
                                         seam::memory_order_relaxed);
  }
  /// A fiber that was taken may run, end and come home again meanwhile, by the hand of another giver. Then this is
  /// false again, and who takes it back first has it.
  [[nodiscard]] bool has_left(const Fiber& came) const noexcept {
    return here_.load(seam::memory_order_relaxed) != reinterpret_cast<std::uintptr_t>(&came);
  }
  /// True: the fiber is the caller's again.
  [[nodiscard]] bool take_back(const Fiber& came) noexcept {
    auto expected = reinterpret_cast<std::uintptr_t>(&came);
    return here_.compare_exchange_strong(expected, is_open, seam::memory_order_acquire, seam::memory_order_relaxed);
  }

 private:
  static constexpr std::uintptr_t is_closed = 0;
  static constexpr std::uintptr_t is_open = 1;

  seam::atomic<std::uintptr_t> here_{is_closed};  // or the address of who came home
};

}  // namespace nearfork

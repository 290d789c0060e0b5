// What one call of suspend() and its resumers share.
//
// [R1] claim() lets one caller through: the first resume(), or the last resumer that goes without one. That caller
//      says how the wait ends. Mutant: resume_without_claim.
// [R2] All resumers together hold one share of the memory, the call holds the other. The last resumer gives the share
//      back after it has finished the event, because the call may return and go meanwhile ([E3] of event.hpp).
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/tasks/event.hpp>

namespace nearfork::detail {

class suspension {
 public:
  enum class ending : std::uint8_t { resumed, failed, abandoned };

  /// True for one caller, which must then call finish() once [R1]. Relaxed: finish() hands over the data.
  [[nodiscard]] bool claim() noexcept { return !claimed_.exchange(true, seam::memory_order_relaxed); }
  /// The caller makes the fiber that is returned ready.
  [[nodiscard]] fiber* finish(ending how) noexcept {
    ended_ = how;
    return awaited_.finish();
  }

  [[nodiscard]] event& awaited() noexcept { return awaited_; }
  /// Call it after the wait.
  [[nodiscard]] ending ended() const noexcept { return ended_; }

  void add_resumer() noexcept { resumers_.add(); }
  /// A resumer goes. make_ready(fiber): the fiber that waits, if this was the last resumer and none has resumed. True:
  /// the caller must destroy the suspension [R2].
  template <class MakeReady>
  [[nodiscard]] bool drop_resumer(MakeReady&& make_ready) noexcept {
    if (!resumers_.let_go()) return false;
    if (claim())
      if (fiber* const waiter = finish(ending::abandoned)) make_ready(*waiter);
    return sides_.let_go();
  }
  /// The call of suspend() returns. True: the caller must destroy the suspension.
  [[nodiscard]] bool drop_call() noexcept { return sides_.let_go(); }

 private:
  event awaited_;
  holders resumers_{1};
  holders sides_{2};  // the resumers as a whole, and the call
  seam::atomic<bool> claimed_{false};
  seam::plain<ending> ended_{ending::abandoned};
};

}  // namespace nearfork::detail

// How a thief has the owner of private jobs pass a fence, before it shares them by force: [D6] of deque.hpp. By
// membarrier, which all threads of the process pass at once; where that is refused, by a signal to the owner's thread.
#pragma once

#include "runtime/workers/worker.hpp"

namespace nearfork {

/// What others know of a thread that runs fibers.
struct carrying_thread {
  int number;
  unsigned* uncaught;  // how many exceptions are in flight there
};

class owner_fence {
 public:
  /// Call it before the workers start.
  owner_fence() noexcept;

  [[nodiscard]] bool can_force() const noexcept { return membarrier_refused_ == 0 || signals_refused_ == 0; }
  /// Also where the owner is no thread of ours, which answers no signal of ours.
  [[nodiscard]] bool can_force_guests() const noexcept { return membarrier_refused_ == 0; }
  /// Error numbers; 0: not refused.
  [[nodiscard]] int membarrier_refused() const noexcept { return membarrier_refused_; }
  [[nodiscard]] int signals_refused() const noexcept { return signals_refused_; }

  /// The calling thread is ours, and `self` runs on it from now on.
  void enter(worker& self) const noexcept;
  /// `self` runs on a program's own thread from now on. If that blocks our signal, it does not answer. Nobody waits for
  /// readers: the thread before is ours and stays.
  static void enter_as_guest(worker& self, const carrying_thread& thread) noexcept {
    self.carrier.store(thread.number, detail::seam::memory_order_relaxed);
    self.uncaught.lend(thread.uncaught);
  }
  /// `self` runs on that thread from now on. No thief reads memory of the one before any more, which may end.
  static void move_to(worker& self, const carrying_thread& to) noexcept;
  /// The calling thread, which is ours, ends.
  static void leave(worker& self) noexcept { move_to(self, {0, nullptr}); }
  [[nodiscard]] static carrying_thread carrier_of(const worker& self) noexcept {
    return {self.carrier.load(detail::seam::memory_order_relaxed), self.uncaught.lent()};
  }

  /// By membarrier, all owners pass a fence. By signals this does nothing: pass() asks one by one. False: refused.
  [[nodiscard]] bool pass_all() const noexcept;
  /// Call it after pass_all(). True: since the demand was made, the thread that runs the owner has passed a fence.
  [[nodiscard]] bool pass(const demand& made) const noexcept;

  /// Call it when pushed jobs are known. True: no exception unwinds what the owner does. The jobs of destructors that
  /// run then stay with the owner: a cancelled thief would drop them, and their join must not throw.
  [[nodiscard]] static bool may_share(const demand& made) noexcept;

 private:
  [[nodiscard]] bool by_signals() const noexcept { return membarrier_refused_ != 0 && signals_refused_ == 0; }

  const int membarrier_refused_;
  const int signals_refused_;
};

}  // namespace nearfork

#include "runtime/workers/owner_fence.hpp"

#include <atomic>

#include "base/process_number.hpp"
#include "base/signal_fence.hpp"
#include "runtime/fibers/fiber_context.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {

namespace seam = detail::seam;

owner_fence::owner_fence() noexcept
    : membarrier_refused_(seam::prepare_heavy_fence()),
      signals_refused_(membarrier_refused_ == 0 ? 0 : prepare_signal_fence()) {}

void owner_fence::enter(worker& self) const noexcept {
  move_to(self, {by_signals() ? answer_signal_fences() : thread_number(), uncaught_exceptions_here()});
}

bool owner_fence::pass_all() const noexcept {
  return by_signals() || (membarrier_refused_ == 0 && seam::heavy_fence());
}

bool owner_fence::pass(const demand& made) const noexcept {
  if (!by_signals()) return true;
  worker& victim = *made.victim;
  const int carrier = victim.carrier.load(seam::memory_order_relaxed);
  if (!fence_in_thread(carrier)) return false;
  // The owner may have gone to another thread meanwhile, which has passed no fence. It was here when the demand was
  // made. If it is here now, then either it never left, or what it did elsewhere happened before its return.
  return victim.present.load(seam::memory_order_acquire) == made.owner &&
         victim.carrier.load(seam::memory_order_relaxed) == carrier;
}

/// The owner counted the exception before it pushed the job of a destructor, and the job cannot have been taken back
/// since the demand was made.
bool owner_fence::may_share(const demand& made) noexcept {
  if (made.victim == nullptr) return true;
  return made.victim->uncaught.look_at([](unsigned* uncaught) {
    return uncaught == nullptr || std::atomic_ref(*uncaught).load(std::memory_order_relaxed) == 0;
  });
}

void owner_fence::move_to(worker& self, const carrying_thread& to) noexcept {
  self.carrier.store(to.number, seam::memory_order_relaxed);
  self.uncaught.take_back(to.uncaught, [&self] { return self.home.is_of_this_process(); });
}

}  // namespace nearfork

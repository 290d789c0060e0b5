// How many of a crew's last sleepers sleep on, whatever is shared, because threads outside have their cores
// (wakes/spawning_threads.hpp).
//
// [K1] Who has published work asks holds() after its look at the counts ([P4] of parking.md). Who calls end() calls
//      wake_who_slept_on() afterwards. That looks at the counts as in [P4], asks the owners of private jobs as in [P2],
//      because what was shared meanwhile has answered the sleeper's own request, and then looks at the work. Both looks
//      are read-modify-writes of one word, so the later one sees what the other has done before: the work, or the end.
//      Model: who_slept_on_is_woken_for_what_was_shared. Mutant: spawner_ends_without_a_look.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

#include "runtime/protocols/parking.hpp"

namespace nearfork {

class sleeping_on {
 public:
  void begin() noexcept { wanted_.fetch_add(1, seam::memory_order_relaxed); }
  void end() noexcept { wanted_.fetch_sub(1, seam::memory_order_relaxed); }
  /// As many as have begun, as long as a worker is awake. Racy.
  [[nodiscard]] bool holds(const parking_lot& lot) const noexcept {
    const std::uint32_t wanted = wanted_.load(seam::memory_order_relaxed);
    if (wanted == 0) return false;
    const std::uint32_t sleeping = lot.approx_counts().sleeping();
    return sleeping <= wanted && sleeping < lot.workers();
  }

 private:
  seam::atomic<std::uint32_t> wanted_{0};
};

/// [K1] What `around` can do:
///
///     ask_everyone()      asks the owners of private jobs for work
///     has_shared_work()
///     wake_one()          wakes a worker that sleeps
template <class Around>
void wake_who_slept_on(parking_lot& lot, Around& around) noexcept {
  if (!lot.should_notify()) return;
  around.ask_everyone();
  if (around.has_shared_work()) around.wake_one();
}

}  // namespace nearfork

#include "runtime/workers/idling.hpp"

#include "base/monotonic_clock.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/find_work.hpp"

namespace nearfork {
namespace {

/// Looks again and again for config::spin_us. The pauses between looks grow, so that victims keep their lines.
work_item search_for_a_while(worker& self) noexcept {
  constexpr unsigned most_pauses = 64;
  const std::uint64_t until = now_ns() + self.home.spin_ns();
  unsigned pauses = 1;
  do {
    if (work_item found = find_work(self)) return found;
    if (self.home.stopping()) break;
    for (unsigned i = 0; i < pauses; ++i) seam::pause();
    if (pauses < most_pauses) pauses *= 2;
    else seam::yield();  // whoever shares this core may be the one with work
  } while (now_ns() < until);
  return {};
}

/// Last of all, what the search order keeps for those that would sleep.
work_item search_before_sleep(worker& self) noexcept {
  if (const work_item found = search_for_a_while(self)) return found;
  self.would_sleep = true;
  return find_work(self);
}

void sleep(worker& self) noexcept {
  self.misses.close();  // the region may be over before it wakes up
  self.counters.parks.add();
  self.home.lot().park(self.index);
  const std::uint64_t notified_at = self.notified_at_ns.load(seam::memory_order_relaxed);
  const std::uint64_t now = now_ns();
  if (notified_at != 0 && now > notified_at) self.wake_latency.record(now - notified_at);
}

}  // namespace

work_item idle_until_work(worker& self) noexcept {
  crew& home = self.home;
  parking_lot& lot = home.lot();
  bool searching = lot.try_search();
  for (;;) {
    if (searching) {
      if (const work_item found = search_before_sleep(self)) {
        self.would_sleep = false;
        if (lot.found_work()) home.notify_one(self.index);  // [P5]
        return found;
      }
    }
    self.would_sleep = true;
    lot.get_sleepy(self.index, searching ? parking_lot::from::searching : parking_lot::from::active);  // [P1]
    home.ask_everyone();                                                                               // [P2]
    const bool stop = home.stopping();
    if (stop || work_in_sight(self)) lot.stay_awake(self.index);  // [P3]
    else sleep(self);
    searching = true;
    self.would_sleep = false;
    if (stop) {
      (void)lot.found_work();  // the counts stay right for those that still sleep
      return {};
    }
    self.searching_since_ns = now_ns();
  }
}

}  // namespace nearfork

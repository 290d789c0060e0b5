// The way of a worker without work, step by step: workers go it, and so does the model checker. Why no wake-up is lost:
// parking.md.
#pragma once

#include <cstdint>

#include "runtime/protocols/parking.hpp"

namespace nearfork {

/// Searches, then sleeps until notified, and so on. Returns work, or nothing where `here` stops. What `here` can do:
///
///     search()         returns work; what it returns is false as a bool if there is none
///     ask_everyone()   asks the owners of private jobs for work
///     work_in_sight()  whether there is work; takes none
///     more_in_sight()  the same, where a wrong answer does no harm
///     stopping()
///     park()           sleeps in `lot` until notified
///     notify_one()     wakes one other worker, if one sleeps
template <class Place>
[[nodiscard]] auto idle(Place& here, parking_lot& lot, std::uint32_t worker) -> decltype(here.search()) {
  bool searching = lot.try_search();
  bool was_asleep = false;
  for (;;) {
    if (searching) {
      if (const auto found = here.search()) {
        if (lot.found_work()) here.notify_one();  // [P5]
        // Where there is more work, two wake at a time. One by one, 16 workers began 200 us late, so 130.
        if (was_asleep && here.more_in_sight()) here.notify_one();
        return found;
      }
    }
    if (here.stopping()) {
      if (searching) (void)lot.found_work();  // the counts stay right for those that still sleep
      return {};
    }
    lot.get_sleepy(worker, searching ? parking_lot::from::searching : parking_lot::from::active);  // [P1]
    here.ask_everyone();                                                                           // [P2]
    if (here.stopping() || here.work_in_sight()) lot.stay_awake(worker);                           // [P3]
    else here.park();
    was_asleep = searching = true;
  }
}

/// A deputy leaves the place of a worker that it borrowed [P8]. The deputy is active and its deque is empty. `here`
/// does for the worker what it does in idle(), and:
///
///     any_worker_will_do()   whether all workers may take all work
///     may_sleep_on()         whether the worker sleeps on whatever is shared: [K1] of sleeping_on.hpp
///     must_watch()           whether tasks wait for a poll, and no sleeper polls
template <class Place>
void leave_place(Place& here, parking_lot& lot, std::uint32_t worker) {
  const idle_counts now = lot.get_sleepy(worker, parking_lot::from::active);                  // [P1]
  if (now.searching() > 0 && here.any_worker_will_do()) return lot.give_back_asleep(worker);  // [P9]
  if (here.may_sleep_on()) return lot.give_back_asleep(worker);                               // [K1]
  if (now.sleeping() < lot.workers()) here.ask_everyone();                                    // [P2]
  if (here.work_in_sight() || here.must_watch()) lot.give_back_awake(worker);                 // [P3]
  else lot.give_back_asleep(worker);
}

}  // namespace nearfork

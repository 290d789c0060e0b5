// The way of a worker without work, step by step: workers go it, and so does the model checker. Why no wake-up is lost:
// parking.md.
#pragma once

#include <cstdint>

#include "runtime/protocols/parking.hpp"

namespace nearfork {

/// Searches, then sleeps until notified, and so on. Returns work, or nothing where `here` stops. What `here` can do:
///
///     search()         work, as far as there is some; what it returns says so as a bool
///     ask_everyone()   asks the owners of private jobs for work
///     work_in_sight()  whether there is some; takes nothing
///     stopping()
///     park()           sleeps in `lot` until notified
///     notify_one()     wakes one other worker, if one sleeps
template <class Place>
[[nodiscard]] auto idle(Place& here, parking_lot& lot, std::uint32_t worker) -> decltype(here.search()) {
  bool searching = lot.try_search();
  for (;;) {
    if (searching) {
      if (const auto found = here.search()) {
        if (lot.found_work()) here.notify_one();  // [P5]
        return found;
      }
    }
    lot.get_sleepy(worker, searching ? parking_lot::from::searching : parking_lot::from::active);  // [P1]
    here.ask_everyone();                                                                           // [P2]
    const bool stop = here.stopping();
    if (stop || here.work_in_sight()) lot.stay_awake(worker);  // [P3]
    else here.park();
    searching = true;
    if (stop) {
      (void)lot.found_work();  // the counts stay right for those that still sleep
      return {};
    }
  }
}

}  // namespace nearfork

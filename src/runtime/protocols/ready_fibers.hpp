// How a suspended fiber goes on: suspension.md. The runtime does it with these steps, and so does the model checker.
#pragma once

#include <cstdint>

namespace nearfork {

/// `waiting` may go on, where a worker of `home` is free. From any thread. What `home` can do:
///
///     entrance()          its door
///     nearest_to(fiber)   the worker that had the fiber last
///     push_ready(fiber)   puts it where every worker looks
///     lot()               its parking lot
///     notify_one(worker)  wakes one worker, if one sleeps: a near one rather than others
template <class Home, class Fiber>
void make_ready_in(Home& home, Fiber& waiting) {
  const std::uint32_t nearest = home.nearest_to(waiting);  // [S3]
  home.entrance().enter_beside();                          // [S4]
  home.push_ready(waiting);
  if (home.lot().should_notify()) home.notify_one(nearest);  // [P4]
  home.entrance().leave();
}

}  // namespace nearfork

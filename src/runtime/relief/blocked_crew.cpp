#include "runtime/relief/blocked_crew.hpp"

#include <algorithm>
#include <optional>

#include "base/threads/thread_activity.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {

bool blocked_crew::look() {
  // One that sleeps for want of work would be called blocked by the system, too.
  if (!see_all() || crew_.has_idle_worker()) return false;
  return std::ranges::all_of(seen_, [](const seen_worker& one) { return waits_in_system(one.thread); });
}

bool blocked_crew::still() {
  return !crew_.has_idle_worker() && see_all();
}

bool blocked_crew::was_blocked(std::uint32_t domain) const {
  return std::ranges::all_of(crew_.layout().workers_of(domain), [&](std::uint32_t worker) {
    const seen_worker& seen = seen_[worker];
    return crew_.is_in_task(worker) && seen.is_as_before && waits_in_system(seen.thread);
  });
}

bool blocked_crew::see_all() {
  seen_.resize(crew_.worker_count());
  bool same = true;
  for (std::uint32_t i = 0; i < crew_.worker_count(); ++i) {
    const int thread = crew_.worker_at(i).carrier.load(seam::memory_order_relaxed);
    const std::optional<std::uint64_t> ran_ns = processor_ns(thread);
    seen_worker& seen = seen_[i];  // of thread 0, if there was no look before
    const bool is_as_before = ran_ns.has_value() && seen.thread == thread && seen.ran_ns == *ran_ns;
    seen = {.thread = thread, .ran_ns = ran_ns.value_or(0), .is_as_before = is_as_before};
    same = same && is_as_before;
  }
  return same;
}

}  // namespace nearfork

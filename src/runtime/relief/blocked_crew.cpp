#include "runtime/relief/blocked_crew.hpp"

#include <algorithm>
#include <optional>

#include "base/threads/thread_activity.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {

bool blocked_crew::look() {
  if (!still()) return false;
  return std::ranges::all_of(seen_, [](const seen_worker& one) { return waits_in_system(one.thread); });
}

bool blocked_crew::still() {
  return none_is_idle() && see_all();
}

/// A worker that sleeps for want of work is about to be woken, or has been; the system would call it blocked, too.
bool blocked_crew::none_is_idle() const noexcept {
  const idle_counts now = crew_.counts();
  return now.searching() == 0 && now.sleeping() == 0;
}

bool blocked_crew::see_all() {
  const bool is_first = seen_.empty();
  seen_.resize(crew_.worker_count());
  bool same = !is_first;
  for (std::uint32_t i = 0; i < crew_.worker_count(); ++i) {
    const int thread = crew_.worker_at(i).carrier.load(seam::memory_order_relaxed);
    const std::optional<std::uint64_t> ran_ns = processor_ns(thread);
    const seen_worker now{.thread = thread, .ran_ns = ran_ns.value_or(0)};
    same = same && ran_ns.has_value() && now == seen_[i];
    seen_[i] = now;
  }
  return same;
}

}  // namespace nearfork

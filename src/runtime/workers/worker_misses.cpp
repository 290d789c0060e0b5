#include "runtime/workers/worker_misses.hpp"

#include <new>

#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

std::uint64_t worker_misses::read_bytes() noexcept {
  if (counter_ == nullptr) return 0;
  const miss_reading now = counter_->read();
  if (!now.complete)
    why_not_ = "others took the counters for some of the time (the NMI watchdog, perf); sysctl kernel.nmi_watchdog=0";
  return now.misses * line_bytes_;
}

void worker_misses::open(worker& self) noexcept {
  try {
    if (self.home.pins_waits()) {
      was_refused_ = true;
      why_not_ = "under pin_waits each task tree has a thread of its own, and a counter counts for one thread";
      self.home.uncounted().note({.why = why_not_, .remedy = "set NEARFORK_PIN_WAITS=off"}, "all workers");
      return;
    }
    counter_opening opened = self.home.counting().open_for_this_thread();
    counter_ = std::move(opened.counter);
    line_bytes_ = opened.counted.line_bytes;
    if (counter_ != nullptr) return;
    was_refused_ = true;
    why_not_ = opened.refused.why;
    self.home.uncounted().note(opened.refused, "worker " + std::to_string(self.index));
  } catch (const std::bad_alloc&) {
    was_refused_ = true;
    if (why_not_.empty()) why_not_ = "no memory";  // short enough to need none
  }
}

void worker_misses::let_go() noexcept {
  counter_.reset();
  why_not_.clear();
}

}  // namespace nearfork::detail

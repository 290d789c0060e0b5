#include "runtime/workers/idling.hpp"

#include "base/monotonic_clock.hpp"
#include "runtime/protocols/idle_protocol.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/find_work.hpp"

namespace nearfork {
namespace {

/// Looks again and again for config::spin_us. The pauses between looks grow, so that victims keep their cache lines.
work_item search_for_a_while(worker& self) noexcept {
  constexpr unsigned most_pauses = 64;
  const std::uint64_t until = now_ns() + self.home.spin_ns();
  unsigned pauses = 1;
  do {
    if (work_item found = find_work(self)) return found;
    if (self.home.stopping()) break;
    for (unsigned i = 0; i < pauses; ++i) seam::pause();
    if (pauses < most_pauses) pauses *= 2;
    else seam::yield();  // the thread that shares this core may have the work
  } while (now_ns() < until);
  return {};
}

/// The worker's side of idle().
class idle_worker {
 public:
  explicit idle_worker(worker& self) noexcept : self_(self) {}
  ~idle_worker() { self_.would_sleep = false; }
  idle_worker(const idle_worker&) = delete;
  idle_worker& operator=(const idle_worker&) = delete;

  /// At last tries the steps that the search order reserves for workers that would sleep.
  [[nodiscard]] work_item search() noexcept {
    self_.would_sleep = false;
    if (const work_item found = search_for_a_while(self_)) return found;
    self_.would_sleep = true;
    return find_work(self_);
  }
  void ask_everyone() noexcept { self_.home.ask_everyone(); }
  [[nodiscard]] bool stopping() const noexcept { return self_.home.stopping(); }
  [[nodiscard]] bool work_in_sight() noexcept {
    self_.would_sleep = true;
    return nearfork::work_in_sight(self_);
  }
  void park() noexcept {
    self_.misses.close();  // the region may be over before the worker wakes up
    self_.counters.parks.add();
    self_.home.lot().park(self_.index);
    const std::uint64_t notified_at = self_.notified_at_ns.load(seam::memory_order_relaxed);
    const std::uint64_t now = now_ns();
    self_.searching_since_ns = now;
    if (notified_at != 0 && now > notified_at) self_.wake_latency.record(now - notified_at);
  }
  void notify_one() noexcept { self_.home.notify_one(self_.index); }

 private:
  worker& self_;
};

}  // namespace

work_item idle_until_work(worker& self) noexcept {
  idle_worker here(self);
  return idle(here, self.home.lot(), self.index);
}

}  // namespace nearfork

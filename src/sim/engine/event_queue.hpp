// What happens next: events by time; events of one time in the order in which they were announced.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace nearfork::sim {

/// The purpose of a worker's event.
enum class event_kind : std::uint8_t {
  turn,
  last_look,  // it would park now if it is still idle
};

struct event {
  std::uint64_t at_ps;
  std::uint64_t sequence;
  std::uint32_t worker;
  event_kind what = event_kind::turn;
  friend constexpr bool operator>(const event& a, const event& b) noexcept {
    return a.at_ps != b.at_ps ? a.at_ps > b.at_ps : a.sequence > b.sequence;
  }
};

class event_queue {
 public:
  void announce(std::uint64_t at_ps, std::uint32_t worker, event_kind what = event_kind::turn) {
    waiting_.push({at_ps, announced_++, worker, what});
  }
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  [[nodiscard]] event take() {
    const event next = waiting_.top();
    waiting_.pop();
    return next;
  }
  /// True if no announced event happens at `at_ps` or before.
  [[nodiscard]] bool none_until(std::uint64_t at_ps) const noexcept {
    return waiting_.empty() || waiting_.top().at_ps > at_ps;
  }

 private:
  std::priority_queue<event, std::vector<event>, std::greater<>> waiting_;
  std::uint64_t announced_ = 0;
};

}  // namespace nearfork::sim

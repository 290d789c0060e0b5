// Virtual time, and what happens next: events by time, and those of one time in the order in which they were announced.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace nearfork::sim {

constexpr std::uint64_t ps(std::uint64_t ns) noexcept {
  return ns * 1000;
}

/// What a worker's event is for.
enum class event_kind : std::uint8_t {
  turn,
  last_look,  // it would park now, if it is still idle
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
  /// Its time is the present from now on.
  [[nodiscard]] event take() {
    const event next = waiting_.top();
    waiting_.pop();
    now_ps_ = next.at_ps;
    return next;
  }
  /// Nothing that was announced happens at `at_ps` or before.
  [[nodiscard]] bool none_until(std::uint64_t at_ps) const noexcept {
    return waiting_.empty() || waiting_.top().at_ps > at_ps;
  }

  [[nodiscard]] std::uint64_t now_ps() const noexcept { return now_ps_; }
  /// For a worker that goes on without an event of its own, where none_until() holds.
  void go_on_to(std::uint64_t at_ps) noexcept { now_ps_ = at_ps; }

 private:
  std::priority_queue<event, std::vector<event>, std::greater<>> waiting_;
  std::uint64_t announced_ = 0;
  std::uint64_t now_ps_ = 0;
};

}  // namespace nearfork::sim

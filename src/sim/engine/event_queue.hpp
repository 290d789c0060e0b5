// Virtual time, and what happens next: events by time, and those of one time in the order in which they were announced.
// A turn that is put off or brought forward stays where it was, void, and is announced anew.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <vector>

namespace nearfork::sim {

constexpr std::uint64_t ps(std::uint64_t ns) noexcept {
  return ns * 1000;
}

/// Throws: nearfork::error if so much work, begun then, may go on beyond the end of virtual time.
void require_time_for(double work_ps, double begun_ps);

/// What a worker's event is for.
enum class event_kind : std::uint8_t {
  turn,
  last_look,  // it would park now, if it is still idle
  clock,      // not of a worker: a clock changes
  clocks,     // not of a worker: the rule for clocks is asked
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
  /// The worker's turn, which was announced, is at `at_ps` instead.
  void move_turn(std::uint32_t worker, std::uint64_t at_ps) {
    if (void_before_.size() <= worker) void_before_.resize(worker + 1, 0);
    void_before_[worker] = announced_;
    announce(at_ps, worker);
  }
  [[nodiscard]] bool empty() {
    drop_void();
    return waiting_.empty();
  }
  /// Its time is the present from now on.
  [[nodiscard]] event take() {
    drop_void();
    const event next = waiting_.top();
    waiting_.pop();
    now_ps_ = next.at_ps;
    return next;
  }
  /// Nothing that was announced happens at `at_ps` or before.
  [[nodiscard]] bool none_until(std::uint64_t at_ps) {
    drop_void();
    return waiting_.empty() || waiting_.top().at_ps > at_ps;
  }

  /// Up to three events: the next one first, and then the two of which one follows it, unless others are announced.
  /// Void ones included.
  [[nodiscard]] std::span<const event> next_ones() const noexcept {
    const std::vector<event>& all = waiting_.events();
    return {all.data(), std::min<std::size_t>(all.size(), 3)};
  }

  [[nodiscard]] std::uint64_t now_ps() const noexcept { return now_ps_; }
  /// For a worker that goes on without an event of its own, where none_until() holds.
  void go_on_to(std::uint64_t at_ps) noexcept { now_ps_ = at_ps; }

 private:
  [[nodiscard]] bool is_void(const event& one) const noexcept {
    return one.what == event_kind::turn && one.worker < void_before_.size() && one.sequence < void_before_[one.worker];
  }
  void drop_void() {
    if (void_before_.empty()) return;
    while (!waiting_.empty() && is_void(waiting_.top())) waiting_.pop();
  }

  /// The heap, to look at events that come soon.
  struct event_heap : std::priority_queue<event, std::vector<event>, std::greater<>> {
    [[nodiscard]] const std::vector<event>& events() const noexcept { return c; }
  };

  std::vector<std::uint64_t> void_before_;  // by worker: a sequence number; empty: no turn was ever moved
  event_heap waiting_;
  std::uint64_t announced_ = 0;
  std::uint64_t now_ps_ = 0;
};

}  // namespace nearfork::sim

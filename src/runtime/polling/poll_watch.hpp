// Who polls for a crew's tasks that wait in suspend(poller, f), and how often.
//
// A worker that searches polls at every look. Of the workers that would sleep, one takes the post (watch_post.hpp): it
// sleeps in naps and polls after each, still parked, so that it can be notified or its place borrowed as any other's. A
// worker with work polls between two tasks, and where all workers are in long tasks, a thread of its own does, both
// once in an interval. No two threads poll at once. While no task waits, nobody polls and nobody has a timer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <nearfork/tasks/poll.hpp>

#include "base/monotonic_clock.hpp"
#include "runtime/polling/interval_thread.hpp"
#include "runtime/protocols/watch_post.hpp"

namespace nearfork {

/// How long the watcher naps after so much silence: an eighth of it, from 20 us on. So a wait takes an eighth longer
/// than its event at most. A nap of 1 ms costs 0.5 to 1% of a core.
[[nodiscard]] std::uint64_t nap_ns_after(std::uint64_t silence_ns) noexcept;

class poll_watch {
 public:
  /// `interval_ns`: 0: no thread of its own polls, and workers with work poll between all tasks.
  explicit poll_watch(std::uint64_t interval_ns) noexcept : interval_ns_(interval_ns) {}
  poll_watch(const poll_watch&) = delete;
  poll_watch& operator=(const poll_watch&) = delete;

  /// A task begins to wait. Throws nearfork::error if there are too many pollers.
  void task_waits(poller& asked);
  void task_goes_on(poller& asked) noexcept;
  /// Ends the thread. No task waits any more.
  void stop() noexcept { thread_.stop(); }

  [[nodiscard]] bool wanted() const noexcept { return post_.wanted(); }
  /// A task waits, and no sleeper watches.
  [[nodiscard]] bool lacks_watcher() const noexcept { return post_.wanted() && !post_.taken(); }
  /// By a worker that searches.
  void poll() noexcept;
  /// By a worker between two tasks.
  void poll_if_due() noexcept {
    if (post_.wanted() && now_ns() - polled_at_ns_.load(seam::memory_order_relaxed) >= interval_ns_) poll();
  }

  /// How a worker sleeps until its bed changes: as the watcher if the post is free.
  class sleeper {
   public:
    explicit sleeper(poll_watch& of) noexcept : of_(of), watches_(of.post_.try_take()) {}
    ~sleeper() {
      if (watches_) of_.post_.leave();
    }
    sleeper(const sleeper&) = delete;
    sleeper& operator=(const sleeper&) = delete;
    /// `most_ns`: the longest sleep; none: until somebody wakes the worker. May return early.
    void operator()(seam::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::optional<std::uint64_t> most_ns) noexcept;

   private:
    poll_watch& of_;
    bool watches_;
  };

 private:
  struct place {
    seam::atomic<poller*> asked{nullptr};
    seam::atomic<std::uint32_t> waiting{0};
  };
  [[nodiscard]] place& place_of(poller& asked);
  void nap(seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
  /// By the thread, while no watcher polls.
  [[nodiscard]] std::uint64_t poll_for_others() noexcept;

  const std::uint64_t interval_ns_;
  watch_post post_;
  std::array<place, 8> places_;
  seam::atomic<bool> polling_{false};
  seam::atomic<std::uint64_t> polled_at_ns_{0};
  seam::atomic<std::uint64_t> heard_at_ns_{0};  // the last time that a task began to wait, or a poll found something
  interval_thread thread_{{[](void* of) noexcept { return static_cast<poll_watch*>(of)->poll_for_others(); },
                           [](void* of) noexcept { return static_cast<poll_watch*>(of)->post_.wanted_now(); }, this}};
};

}  // namespace nearfork

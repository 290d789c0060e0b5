// Pools: work that is given to a domain, or to no domain in particular.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>
#include <nearfork/detail/seam.hpp>

#include "base/threads/patience.hpp"
#include "plan/plans/placement.hpp"
#include "plan/search/pool_item.hpp"
#include "runtime/counters/counters.hpp"
#include "runtime/protocols/told_lock.hpp"
#include "trace/trace_event.hpp"

namespace nearfork {

namespace seam = detail::seam;

/// What a free worker finds: a job to start, or a suspended fiber to go on with.
struct work_item {
  detail::job* start = nullptr;
  detail::fiber* go_on = nullptr;
  detail::deque_place stolen_from = {};                    // set for a job from a deque
  detail::deque* rest = nullptr;                           // where it was taken from, if more can be taken with it
  counter* taken_as = nullptr;                             // with rest: what counts such jobs
  traces::task_origin origin = traces::task_origin::pool;  // for the trace alone
  bool is_counted = false;                                 // by who took it: it may be handed on through a pool
  bool may_be_relieved = false;                            // any crew of the runtime may run it: relief.hpp
  [[nodiscard]] explicit operator bool() const noexcept { return start != nullptr || go_on != nullptr; }
};

/// Locked: touched once per subtree or pushed task, not per fork. The workers of a pool's own domain take the newest
/// item of unplanned work: when they took the oldest, profiling 1.1 million tasks had 240,000 stacks at once.
class work_pool {
 public:
  /// Throws std::bad_alloc.
  void push(work_item item) {
    item.rest = nullptr;  // whoever takes it from here is another worker
    const std::lock_guard now(lock_);
    items_.push_back(item);
    size_.store(items_.size(), detail::seam::memory_order_relaxed);  // ordered by the notify that follows [P4]
  }
  /// For work that nobody else holds.
  void push_surely(work_item item) noexcept {
    with_patience("hand a task on", [&] { push(item); });
  }
  [[nodiscard]] work_item try_pop(pool_item which, worker_rank who) {
    if (looks_empty()) return {};
    const std::lock_guard now(lock_);
    if (items_.empty()) return {};
    const work_item item = take_item(items_, which, who);
    size_.store(items_.size(), detail::seam::memory_order_relaxed);
    return item;
  }
  /// Gives all items to another pool. True: there were some.
  bool hand_on(work_pool& to) noexcept {
    bool any = false;
    while (const work_item oldest = try_pop(pool_item::oldest, {.number = 0, .of = 1})) {
      to.push_surely(oldest);
      any = true;
    }
    return any;
  }
  /// Racy, but exact for a worker about to park: parking.md, [P3].
  [[nodiscard]] bool looks_empty() const noexcept { return size_.load(detail::seam::memory_order_relaxed) == 0; }

 private:
  told_lock lock_;
  std::deque<work_item> items_;
  detail::seam::atomic<std::size_t> size_{0};
};

/// The work meant for the cores of one last-level cache.
struct domain_state {
  work_pool high;
  work_pool weak;
  work_pool low;
  [[nodiscard]] work_pool& pool(pool_class which) noexcept {
    switch (which) {
      case pool_class::high: return high;
      case pool_class::weak: return weak;
      case pool_class::low: break;
    }
    return low;
  }
  [[nodiscard]] bool looks_empty() const noexcept {
    return high.looks_empty() && weak.looks_empty() && low.looks_empty();
  }
  seam::atomic<std::uint32_t> subtrees_in_progress{0};
  seam::atomic<std::int32_t> to_come{0};   // subtrees homed here that their forks have not sent yet
  seam::atomic<std::int32_t> gained{0};    // subtrees taken from other domains, less those that others took
  seam::atomic<std::uint32_t> working{0};  // workers that have work; counted if pools have conditions
  seam::atomic<std::uint32_t> stays{0};    // iterations in progress whose plans forbid to cross to other domains
};

}  // namespace nearfork

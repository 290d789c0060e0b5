// How workers without a task come to one: they search, they idle, and calls bring them back when work becomes visible.
//
// Costs are in virtual time. The events of workers that are called go into the queue here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine/call_times.hpp"
#include "sim/engine/event_log.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/idle_workers.hpp"
#include "sim/engine/iteration_report.hpp"
#include "sim/engine/virtual_crew.hpp"
#include "sim/engine/wait_meter.hpp"
#include "sim/machine/cost_model.hpp"

namespace nearfork::sim {

/// The task that a search brought, and what the search costs the worker.
struct searched_task {
  tree_node task = no_node;
  std::uint64_t cost_ps = 0;
  work_source from{};
  [[nodiscard]] explicit operator bool() const noexcept { return task != no_node; }
};

class work_search {
 public:
  /// All workers idle. What happens is counted in `counts`, which outlives the search.
  work_search(virtual_crew& crew, event_queue& time, const cost_model& costs, call_times times, schedule_counts& counts,
              event_log* log);

  // --- workers without a task ---
  /// The worker has no task any more. It finds one, or idles from now on.
  [[nodiscard]] searched_task seek(std::uint32_t worker);
  /// What the search order keeps for workers that would sleep. A worker that was called meanwhile, or has found
  /// something, is not meant.
  [[nodiscard]] searched_task look_before_sleep(std::uint32_t worker);
  [[nodiscard]] bool is_called(std::uint32_t worker) const noexcept { return idle_.is_called(worker); }
  /// A called worker begins to look; or a worker gets a root.
  void activate(std::uint32_t worker) noexcept { idle_.activate(worker); }

  /// A worker, and when it begins.
  struct beginning {
    std::uint32_t worker;
    std::uint64_t at_ps;
  };
  /// Who begins an iteration's root: the worker that ended the last root, or one of `domain`, as
  /// src/runtime/regions/region_scope.cpp does it.
  [[nodiscard]] beginning hand_over(std::uint32_t from, std::uint16_t domain);

  /// That worker begins the root.
  void begin_root(const beginning& root) noexcept {
    idle_.activate(root.worker);
    waits_.end(root.worker, root.at_ps);
  }

  // --- how long workers are without a task ---
  void begin_iteration() { waits_.begin_iteration(time_.now_ps()); }
  /// By domain, since the iteration began.
  [[nodiscard]] std::vector<std::uint64_t> waited_ps() { return waits_.waited_ps(time_.now_ps()); }

  // --- tasks that move ---
  /// The idle worker nearest to `worker` that `suits`.
  template <class Suits>
  [[nodiscard]] std::optional<std::uint32_t> idle_worker_for(std::uint32_t worker, Suits&& suits) const {
    if (idle_.count() == 0) return std::nullopt;
    std::optional<std::uint32_t> nearest;
    for (std::uint32_t other = 0; other < crew_.layout().workers(); ++other)
      if (idle_.is_idle(other) && suits(other) &&
          (!nearest || crew_.layout().distance(worker, other) < crew_.layout().distance(worker, *nearest)))
        nearest = other;
    return nearest;
  }
  /// The idle worker takes over another one's task; returns what that costs.
  [[nodiscard]] std::uint64_t take_over(std::uint32_t worker);

  // --- calls ---
  /// Work of `by` becomes visible `after_ps` from now; returns what the call costs that worker.
  std::uint64_t publish(std::uint32_t by, work_source source, std::uint64_t after_ps = 0);
  /// `by` has ended the domain's work, which is no longer busy: one of its workers may take from pools what it could
  /// not take before.
  void call_for_pools(std::uint32_t by, std::uint32_t domain);
  /// A worker that was called may have found something else, or nothing: the work that it was called for shall not be
  /// forgotten.
  void pass_on(std::uint32_t worker);

 private:
  [[nodiscard]] searched_task begin(std::uint32_t worker, const found_work& found);
  [[nodiscard]] std::uint64_t count_found(std::uint32_t worker, const found_work& found);
  void begin_idling(std::uint32_t worker);
  void announce_last_look(std::uint32_t worker, std::uint64_t after_ps);
  std::uint64_t wake_for_last_look(std::uint32_t domain);
  std::uint64_t announce(std::uint32_t by, idle_workers::call who, traces::wake_cause why, std::uint64_t after_ps = 0);
  std::uint64_t answering_ps(idle_workers::call who);
  void note_call(std::uint32_t by, idle_workers::call who, traces::wake_cause why, std::uint64_t answered_ps);
  [[nodiscard]] std::uint64_t telling_ps(idle_workers::call who) const noexcept;
  /// True if a worker that finds nothing for long may take more than others.
  [[nodiscard]] bool has_last_looks() const noexcept { return crew_.has_last_looks() && costs_.spin_ps != never; }

  virtual_crew& crew_;
  event_queue& time_;
  const cost_model& costs_;
  call_times times_;
  schedule_counts& counts_;
  idle_workers idle_;
  wait_meter waits_;
  std::vector<bool> last_look_due_;  // by worker
  event_log* log_;                   // none: nobody asks
};

}  // namespace nearfork::sim

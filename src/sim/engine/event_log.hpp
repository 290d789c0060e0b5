// The events of a simulated run, as the runtime's rings have those of a real one: so both make the same trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/crew/worker_places.hpp"
#include "trace/traced_run.hpp"

namespace nearfork::sim {

class event_log {
 public:
  /// Keeps the last `most_events` of each worker, at least one. `task_sampling`: as config::trace_tasks.
  explicit event_log(std::size_t most_events, std::uint32_t task_sampling = 0)
      : most_events_(most_events), task_sampling_(task_sampling) {}

  /// Before the first event: one worker for each place.
  void begin(const machine& where, std::span<const worker_place> places);
  /// Iterations from now on are of this region, and are numbered from 1.
  void enter_region(const std::string& name);

  /// An event may come after later ones of its worker.
  void note(std::uint32_t worker, std::uint64_t at_ps, traces::event one);
  /// An iteration begins or ends on the worker.
  void begin_iteration(std::uint32_t worker, std::uint64_t at_ps, traces::iteration_word word);
  void end_iteration(std::uint32_t worker, std::uint64_t at_ps);
  void change_plan(std::uint32_t worker, std::uint64_t at_ps, const std::string& why);
  void move_pages(std::uint32_t worker, std::uint64_t at_ps, std::uint64_t bytes);
  void count(std::uint32_t worker, std::uint64_t at_ps, const std::string& counter, double value);

  /// Whether the trace tells of the task that begins on the worker: of one task of so many.
  [[nodiscard]] bool traces_task(std::uint32_t worker) noexcept {
    return task_sampling_ != 0 && ++rings_[worker].tasks_seen % task_sampling_ == 0;
  }
  /// What was noted; the log is empty then.
  [[nodiscard]] traces::traced_run taken(std::string title);

 private:
  [[nodiscard]] std::uint16_t number_of(const std::string& name);

  struct noted {
    traces::event what;    // its time in ps
    std::uint64_t number;  // among all events of the run
    std::uint32_t worker;
  };
  struct ring {
    std::vector<noted> events;
    std::size_t oldest = 0;  // once there are most_events_
    std::uint32_t tasks_seen = 0;
  };

  std::size_t most_events_;
  std::uint32_t task_sampling_;
  traces::traced_run made_{};
  std::vector<ring> rings_{};  // by worker
  std::uint64_t noted_ = 0;
  std::unordered_map<std::string, std::uint16_t> numbers_{};
  std::uint16_t region_ = 0;
  std::uint64_t iterations_ = 0;  // of the region
};

}  // namespace nearfork::sim

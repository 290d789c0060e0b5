// The events of a simulated dataflow run: each task is a slice of the worker that runs it. A part of the run that has a
// mark is an iteration of a region: its first task opens it, which then waits for the others, and its last one ends it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/dataflow/ready_tasks.hpp"
#include "sim/engine/event_log.hpp"
#include "trace/trace_event.hpp"

namespace nearfork::sim {

class flow_events {
 public:
  /// `log`: outlives this; nullptr: nothing is noted. `ends`: the last task of each part, whose first task is the first
  /// one to begin after the part before. `regions`: the region of each part.
  flow_events(event_log* log, const machine& where, const flow_crew& crew, std::span<const std::uint32_t> ends,
              std::span<const std::string> regions, std::uint32_t tasks);

  /// The task waits in the deque of `worker`, which has made it ready.
  void push(std::uint32_t worker, std::uint32_t task, std::uint64_t at_ps);
  /// It waits in the mailbox of another worker.
  void send(std::uint32_t worker, std::uint32_t to, std::uint32_t task, std::uint64_t at_ps);
  /// The worker has it from the deque of `victim`, and begins it next.
  void steal(std::uint32_t victim, steal_distance distance, std::uint32_t task);
  void begin(std::uint32_t worker, std::uint32_t task, std::uint64_t at_ps);
  void end(std::uint32_t worker, std::uint32_t task, std::uint64_t at_ps);
  /// `who` sleeps since `slept_from_ps`, and goes on at `answers_ps`.
  void wake(std::uint32_t by, std::uint32_t who, traces::wake_cause why, std::uint64_t slept_from_ps,
            std::uint64_t at_ps, std::uint64_t answers_ps);

 private:
  struct waiting_task {
    traces::task_origin origin = traces::task_origin::dataflow;
    steal_distance distance{};   // if it is stolen
    std::uint32_t victim = 0;    // the same
    bool is_pushed = false;      // to the deque of the worker that made it ready
    std::uint32_t ready_by = 0;  // that worker
    std::uint64_t ready_ps = 0;
  };
  void note_steal(std::uint32_t worker, std::uint32_t task, std::uint64_t at_ps);
  void open_part(std::uint32_t worker, std::uint64_t at_ps);
  void note_switch(std::uint32_t worker, std::uint64_t at_ps, std::uint64_t to, std::uint64_t from,
                   traces::switch_cause why);
  [[nodiscard]] bool is_last_of_part(std::uint32_t task) const noexcept {
    return part_ < ends_.size() && ends_[part_] == task;
  }

  event_log* log_;
  std::span<const std::uint32_t> ends_;
  std::span<const std::string> regions_;
  std::vector<std::uint32_t> domains_{};  // by worker
  std::vector<waiting_task> tasks_{};
  std::size_t part_ = 0;
  std::uint32_t first_of_part_ = 0;  // if the part is open
  bool is_open_ = false;
};

}  // namespace nearfork::sim

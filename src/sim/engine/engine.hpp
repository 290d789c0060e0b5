// Virtual workers run one iteration after the other in virtual time.
//
// An event is a worker's turn. In its turn a worker does one thing: a slice of a task's own work, or an act that others
// see (fork, join, end, search). Slices run ahead of virtual time, acts never do: an act happens when no other worker
// has a turn before it. So the same program, machine, policy and seed give the same report to the last byte.
//
// The engine runs the events. Its parts: own_work has the slices, running_tasks the forks, joins and ends, and
// work_search the searches, the workers that idle and the calls that wake them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/course/data_course.hpp"
#include "plan/course/region_course.hpp"
#include "plan/crew/worker_places.hpp"
#include "plan/plans/policy.hpp"
#include "sim/cores/clock_rule.hpp"
#include "sim/cores/energy_meter.hpp"
#include "sim/cores/power_sharing.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/iteration_report.hpp"
#include "sim/engine/own_work.hpp"
#include "sim/engine/running_tasks.hpp"
#include "sim/engine/virtual_crew.hpp"
#include "sim/engine/work_search.hpp"
#include "sim/machine/cost_model.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/programs/program.hpp"
#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

struct engine_settings {
  std::uint32_t workers = 0;  // 0: as many as the machine grants; at most one per hardware thread
  std::uint64_t seed = 1;
  std::optional<cost_model> costs{};     // none: the model's
  std::optional<machine_model> model{};  // none: model_of()
  bool keep_tasks = false;               // iteration_report::tasks
  event_log* log = nullptr;              // outlives the engine; none: events are not noted
  clock_rule* clocks = nullptr;          // outlives the engine; none: as the policy shares power
  run_goal goal = run_goal::time;        // another: clocks are managed, as by config::power = manage
  /// Called some ten to a hundred times a second within iterations. `ended`: the fraction of the iteration's tasks that
  /// have ended. If it returns false, the run is interrupted. Empty: nothing is called.
  std::function<bool(double ended)> goes_on{};
};

/// Thrown by an engine whose settings said that it should not go on. It cannot run any more.
struct interrupted_run {};

class engine {
 public:
  /// Programs may touch `data_bytes`. Throws nearfork::error if the machine is more than can be simulated.
  engine(const machine& where, const policy& how, const engine_settings& settings, std::uint64_t data_bytes)
      : engine(where, how, settings, settings.model ? *settings.model : model_of(where), data_bytes) {}
  engine(const engine&) = delete;  // parts point into each other
  engine& operator=(const engine&) = delete;

  /// True if clocks change as the policy shares out power. False also if it would, but the model does not know the
  /// cores' power, or the clocks that they can have.
  [[nodiscard]] bool shares_power() const noexcept { return power_ != nullptr; }
  /// The lowest at which iterations can be asked to run.
  [[nodiscard]] clock_step least_clocks() const noexcept { return power_ == nullptr ? normal_step : power_->least(); }
  /// The machine as the policy sees it: what plans are made for.
  [[nodiscard]] const machine& planned_for() const noexcept { return *planned_for_; }

  /// Before anything runs: where the program's data lie, and whether reads place pages. Throws: nearfork::error if the
  /// machine does not have the nodes that the program names, or has no room.
  void place_data(const program& what);
  /// Before an iteration: does what `step` says with the data that follow plans. The worker that begins the iteration
  /// moves at most `most_bytes` first.
  own_work::brought bring(const data_step& step, std::uint64_t most_bytes);
  /// The worker that ended the last iteration.
  [[nodiscard]] std::uint32_t last_worker() const noexcept { return last_worker_; }
  /// The next iteration. It starts when the one before ended, on the worker that ended it, with the caches as they are.
  /// Throws nearfork::error if no task can go on, or if virtual time (53 days) may not be enough; interrupted_run if it
  /// is told to stop.
  [[nodiscard]] iteration_report run(const task_graph& graph, iteration_kind kind, const plan& in_force);
  /// From virtual time `at_ps` on the core runs at `mhz`, until that changes again. Slices that are being done then go
  /// on at the new clock. Throws nearfork::error if that is no clock for the core, or if `at_ps` has passed.
  void change_clock(core_id core, std::uint32_t mhz, std::uint64_t at_ps);
  [[nodiscard]] const worker_layout& crew() const noexcept { return crew_.layout(); }
  [[nodiscard]] std::uint64_t now_ps() const noexcept { return time_.now_ps(); }
  [[nodiscard]] std::uint64_t page_bytes() const noexcept { return work_.page_bytes(); }
  /// Of the data that follow plans.
  [[nodiscard]] std::uint64_t followed_bytes() const noexcept { return work_.followed_bytes(); }
  /// Where each page lies now.
  [[nodiscard]] const page_map& page_places() const noexcept { return work_.page_places(); }
  /// The cost of each task of the last iteration without its children. Bytes: lines that missed all private caches.
  [[nodiscard]] std::span<const task_cost> own_costs() const noexcept { return work_.costs(); }
  /// How hot data were in the last iteration, if it was profiled and the policy needs to know.
  [[nodiscard]] gauging gauged() { return work_.gauged(); }

 private:
  engine(const machine& where, const policy& how, const engine_settings& settings, const machine_model& model,
         std::uint64_t data_bytes);

  void apply_rules_of(std::span<const data_array> arrays);
  [[nodiscard]] std::vector<subtree_traffic> locality_of(const task_graph& graph) const;
  void begin_iteration(const task_graph& graph, iteration_kind kind, const plan& in_force);
  [[nodiscard]] std::optional<std::uint64_t> energy_used();
  [[nodiscard]] std::vector<std::uint64_t> traffic_since(const std::vector<std::uint64_t>& served_before) const;
  [[noreturn]] void stand_still() const;
  void ask_whether_to_go_on();
  void note_end_of_iteration();

  void follow_clock_rule();
  void ask_clock_rule();
  void set_clock(const clock_change& now);

  // A worker's turn.
  void take_turn(std::uint32_t worker);
  void go_on(std::uint32_t worker);
  [[nodiscard]] bool is_mugged(std::uint32_t worker);
  void answer_call(std::uint32_t worker);
  void look_before_sleep(std::uint32_t worker);

  cost_model costs_;
  std::string policy_name_;
  policy_needs needs_;
  std::shared_ptr<const machine> planned_for_;
  std::vector<worker_place> places_;
  virtual_crew crew_;
  own_work work_;
  energy_meter energy_;
  const machine& where_;
  machine_model model_;
  std::vector<std::uint16_t> node_of_domain_;  // that borders of plans mean
  std::uint64_t moving_ps_ = 0;                // before the next iteration
  event_queue time_;
  iteration_report report_{};  // of the present iteration
  work_search search_;
  running_tasks tasks_;
  std::uint32_t last_worker_ = 0;  // ended the last root
  std::unique_ptr<power_sharing> power_;
  clock_rule* clocks_;  // none: clocks stay as they are
  event_log* log_;
  bool mugs_;
  bool asks_clock_rule_ = false;             // an event for it is under way
  std::uint64_t changes_seen_ = 0;           // of cores that work
  std::vector<clock_change> clock_changes_;  // an event of one has its index
  std::function<bool(double)> goes_on_;
  std::uint32_t acts_ = 0;  // slices and acts since goes_on_ was asked
};

}  // namespace nearfork::sim

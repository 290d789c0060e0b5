// Virtual workers run one iteration after the other in virtual time.
//
// An event is a worker's turn. In its turn a worker does one thing: a slice of a task's own work, or an act that others
// see (fork, join, end, search). Slices run ahead of virtual time, acts never do: an act happens when no other worker has
// a turn before it. So the same program, machine, policy and seed give the same report to the last byte.
//
// The rules are the runtime's (src/runtime/forks/planned_fork.cpp, src/runtime/forks/fork_slow.cpp): a joining task takes its children
// back newest first, or waits and leaves its fiber; whoever ends the child that is waited for goes on with the parent.
// Simpler than there: every job in a deque can be seen by thieves at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/course/region_course.hpp"
#include "plan/crew/worker_places.hpp"
#include "plan/plans/policy.hpp"
#include "sim/engine/energy_meter.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/idle_workers.hpp"
#include "sim/engine/iteration_report.hpp"
#include "sim/engine/virtual_crew.hpp"
#include "sim/engine/wait_meter.hpp"
#include "sim/machine/cost_model.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

struct engine_settings {
  std::uint32_t workers = 0;  // 0: as many as the machine grants; at most one per core
  std::uint64_t seed = 1;
  std::optional<cost_model> costs{};     // none: the model's
  std::optional<machine_model> model{};  // none: model_of()
  bool keep_tasks = false;               // iteration_report::tasks
};

class engine {
 public:
  /// Programs may touch `data_bytes`. Throws nearfork::error if the machine is more than can be simulated.
  engine(const machine& where, const policy& how, const engine_settings& settings, std::uint64_t data_bytes)
      : engine(where, how, settings, settings.model ? *settings.model : model_of(where), data_bytes) {}
  engine(const engine&) = delete;  // parts point into each other
  engine& operator=(const engine&) = delete;

  /// The machine as the policy sees it: what plans are made for.
  [[nodiscard]] const machine& planned_for() const noexcept { return *planned_for_; }

  /// The next iteration. It starts when the one before ended, on the worker that ended it, with the caches as they are.
  /// Throws nearfork::error if no task can go on, or if virtual time (53 days) may not be enough.
  [[nodiscard]] iteration_report run(const task_graph& graph, iteration_kind kind, const plan& in_force);
  /// Of each task of the last iteration, by itself; bytes are those of lines that missed all private caches.
  [[nodiscard]] std::span<const task_cost> own_costs() const noexcept { return own_costs_; }

 private:
  engine(const machine& where, const policy& how, const engine_settings& settings, const machine_model& model,
         std::uint64_t data_bytes);
  enum class task_phase : std::uint8_t { working, forking_or_ending, joining };
  enum class entry : std::uint8_t { on_parents_fiber, on_empty_fiber };

  /// A task that has begun, or that some fork has made.
  struct frame {
    tree_node parent = no_node;
    plan_cursor cursor{};
    placement where{};
    fiber_id fiber{};
    entry entered = entry::on_empty_fiber;
    bool done = false;
    std::uint32_t subtree_domain = 0;  // where it began, if it is a subtree root
    std::uint32_t forks_done = 0;
    fork_sending fork{0, sweep::forward, spawn_order::child_first};  // the present one
    std::uint32_t awaited = 0;                                       // turn of the child
    tree_node waiting_for = no_node;
    std::uint32_t run = 0;  // in iteration_report::tasks
  };

  /// How far a worker is with the stretch that it works on.
  struct progress {
    std::span<const data_access> accesses{};
    std::uint32_t next_line = 0;
    std::uint32_t access_lines_left = 0;
    std::uint64_t lines_left = 0;
    std::uint64_t compute_ps_left = 0;
    std::uint64_t compute_ps_per_line = 0;
  };

  struct worker_turn {
    core_id core{};
    double slowness = 1;       // what computation takes longer than its program says
    tree_node task = no_node;  // what it runs
    task_phase phase = task_phase::working;
    progress at{};
    bool last_look_due = false;
  };

  struct line_range {
    std::uint32_t first;
    std::uint32_t count;
  };

  // What a worker does; each returns when it is over.
  void take_turn(std::uint32_t worker);
  void go_on(std::uint32_t worker);
  std::uint64_t advance(std::uint32_t worker);
  std::uint64_t run_slice(std::uint32_t worker);
  std::uint64_t fork(std::uint32_t worker);
  std::uint64_t join(std::uint32_t worker);
  std::uint64_t end_task(std::uint32_t worker);
  std::uint64_t seek(std::uint32_t worker);
  std::uint64_t begin_found(std::uint32_t worker, const found_work& found);
  void answer_call(std::uint32_t worker);
  void look_before_sleep(std::uint32_t worker);
  void begin_idling(std::uint32_t worker);
  void announce_last_look(std::uint32_t worker, std::uint64_t after_ps);

  void begin_iteration(const task_graph& graph, iteration_kind kind, const plan& in_force);
  void require_time_for(const task_graph& graph) const;
  [[noreturn]] void stand_still() const;
  [[nodiscard]] std::optional<std::uint64_t> energy_used() const;
  [[nodiscard]] std::vector<std::uint64_t> traffic_since(const std::vector<std::uint64_t>& served_before) const;
  [[nodiscard]] std::uint64_t hand_over(std::uint16_t domain);
  void start(std::uint32_t worker, tree_node task, entry how);
  void begin_stretch(std::uint32_t worker);
  void begin_access(progress& at) const;
  memory_toll touch_lines(worker_turn& me, std::uint32_t most, std::uint32_t& touched);
  [[nodiscard]] line_range lines_of(const data_access& access) const noexcept;
  [[nodiscard]] fork_sending make_children(tree_node parent, const task_graph::fork& made);
  std::uint64_t send_children(std::uint32_t worker, const task_graph::fork& made, const fork_sending& fork);
  void count_off(const placement& sent);
  std::uint64_t go_on_with_parent(std::uint32_t worker, const frame& child);
  std::uint64_t count_found(std::uint32_t worker, const found_work& found);

  /// Work has become visible; returns what telling somebody costs.
  std::uint64_t publish(work_source source);
  std::uint64_t wake_for_last_look(std::uint32_t domain);
  void call_for_pools(std::uint32_t domain);
  void pass_on();
  std::uint64_t announce(idle_workers::call who);
  std::uint64_t answering_ps(idle_workers::call who);
  [[nodiscard]] std::uint64_t telling_ps(idle_workers::call who) const noexcept;

  [[nodiscard]] static tree_node child_of(const task_graph::fork& made, const fork_sending& fork,
                                          std::uint32_t turn) noexcept {
    return tree_node{index_of(made.first_child) + fork.child_at(turn)};
  }
  [[nodiscard]] frame& frame_of(tree_node task) noexcept { return frames_[index_of(task)]; }

  cost_model costs_;
  bool keep_tasks_;
  std::string policy_name_;
  std::shared_ptr<const machine> planned_for_;
  std::vector<worker_place> places_;
  virtual_crew crew_;
  memory_hierarchy memory_;
  energy_meter energy_;
  idle_workers idle_;
  wait_meter waits_;
  std::vector<worker_turn> workers_;
  event_queue queue_;
  std::uint64_t now_ps_ = 0;
  std::uint32_t last_worker_ = 0;  // ended the last root

  // Of the present iteration:
  const task_graph* graph_ = nullptr;
  bool finished_ = false;
  iteration_report report_{};
  std::vector<frame> frames_;
  std::vector<task_cost> own_costs_;
  std::vector<std::uint64_t> own_ps_;
};

}  // namespace nearfork::sim

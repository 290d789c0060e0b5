// Which task each worker runs, and how far it is: slices of its own work, forks, joins and ends.
//
// The counterpart of src/runtime/forks/planned_fork.cpp and fork_slow.cpp: a joining task takes its children back
// newest first, or waits and leaves its fiber; the worker that ends the child that is waited for goes on with the
// parent. Simpler than there: thieves see every job in a deque at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plans/placement.hpp"
#include "plan/plans/plan.hpp"
#include "sim/engine/event_log.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/iteration_report.hpp"
#include "sim/engine/own_work.hpp"
#include "sim/engine/virtual_crew.hpp"
#include "sim/engine/work_search.hpp"
#include "sim/machine/cost_model.hpp"
#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

class running_tasks {
 public:
  enum class task_log : std::uint8_t { none, all };
  /// What the tasks need of an engine; all of it outlives them.
  struct surroundings {
    virtual_crew& crew;
    event_queue& time;
    work_search& search;
    own_work& work;
    const cost_model& costs;
    iteration_report& report;
    event_log* log;  // none: nobody asks
  };
  running_tasks(const surroundings& around, task_log keeps);

  void begin_iteration(const task_graph& graph, const plan& in_force, sweep first);
  void start_root(std::uint32_t worker) {
    begin_work(worker);
    start(worker, tree_root, entry::on_empty_fiber);
  }
  /// Slices that end at another time than before have their turns then.
  void move_turns() {
    if (!work_.has_moved()) return;
    for (const moved_end& one : work_.take_moved()) time_.move_turn(one.worker, one.end_ps);
  }
  /// The worker that ended the root; none: the iteration is still going on.
  [[nodiscard]] std::optional<std::uint32_t> root_ended_on() const noexcept { return root_ended_on_; }

  /// How many of the iteration's tasks have ended, from 0 to 1.
  [[nodiscard]] double ended_fraction() const noexcept { return static_cast<double>(ended_) / graph_->size(); }

  [[nodiscard]] bool has_task(std::uint32_t worker) const noexcept { return workers_[worker].task != no_node; }
  /// One act or slice of a worker with a task; returns when it is over.
  std::uint64_t advance(std::uint32_t worker);
  /// A worker without a task searches, or begins the task that it has found. Returns when that is over.
  std::uint64_t seek(std::uint32_t worker);
  std::uint64_t begin_found(std::uint32_t worker, const searched_task& found);
  /// The task of `from` goes on on `to`, which is idle, with its fiber. `from` has no task then and must seek().
  std::uint64_t move_task(std::uint32_t from, std::uint32_t to);

 private:
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
    std::uint32_t run = 0;   // in iteration_report::tasks
    bool is_traced = false;  // by a slice of its own
  };

  struct worker_turn {
    tree_node task = no_node;  // what it runs
    task_phase phase = task_phase::working;
  };

  // A worker without a task leaves its core to the core's other hardware threads.
  void begin_work(std::uint32_t worker) {
    work_.begin_work(worker, time_.now_ps());
    move_turns();
  }
  void end_work(std::uint32_t worker) {
    work_.end_work(worker, time_.now_ps());
    move_turns();
  }

  void start(std::uint32_t worker, tree_node task, entry how) { start(worker, task, how, time_.now_ps()); }
  void start(std::uint32_t worker, tree_node task, entry how, std::uint64_t at_ps);
  void begin_stretch(std::uint32_t worker);
  std::uint64_t run_slice(std::uint32_t worker);
  void prefetch_slices_to_come() const noexcept;
  std::uint64_t fork(std::uint32_t worker);
  [[nodiscard]] fork_sending make_children(tree_node parent, const task_graph::fork& made);
  std::uint64_t send_children(std::uint32_t worker, const task_graph::fork& made, const fork_sending& fork);
  void count_off(const placement& sent);
  std::uint64_t join(std::uint32_t worker);
  std::uint64_t end_task(std::uint32_t worker);
  std::uint64_t go_on_with_parent(std::uint32_t worker, const frame& child);

  // What a trace shows:
  void note_found(std::uint32_t worker, const searched_task& found);
  void note_switch(std::uint32_t worker, fiber_id left, traces::switch_cause why);
  void note_begin(std::uint32_t worker, tree_node task, std::uint64_t at_ps);
  void note_end(std::uint32_t worker, tree_node task);

  [[nodiscard]] static tree_node child_of(const task_graph::fork& made, const fork_sending& fork,
                                          std::uint32_t turn) noexcept {
    return tree_node{index_of(made.first_child) + fork.child_at(turn)};
  }
  [[nodiscard]] frame& frame_of(tree_node task) noexcept { return frames_[index_of(task)]; }

  virtual_crew& crew_;
  event_queue& time_;
  work_search& search_;
  own_work& work_;
  const cost_model& costs_;
  iteration_report& report_;
  task_log keeps_;
  event_log* log_;
  std::vector<worker_turn> workers_;

  // The state of the present iteration:
  const task_graph* graph_ = nullptr;
  std::vector<frame> frames_;
  std::optional<std::uint32_t> root_ended_on_{};
  std::uint32_t ended_ = 0;
  struct forked_job {
    std::uint64_t at_ps = 0;
    std::uint32_t by = 0;
  };
  std::vector<forked_job> forked_{};  // by task; empty: nobody asks
};

}  // namespace nearfork::sim

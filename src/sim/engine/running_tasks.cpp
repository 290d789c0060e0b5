// Forks, joins and ends of simulated tasks: what src/runtime/forks/planned_fork.cpp does on real stacks.
#include "sim/engine/running_tasks.hpp"

namespace nearfork::sim {
namespace {

// In events 0 is no job and no fiber.
std::uint64_t subject_of(tree_node task) noexcept {
  return std::uint64_t{index_of(task)} + 1;
}
std::uint64_t subject_of(fiber_id fiber) noexcept {
  return std::uint64_t{static_cast<std::uint32_t>(fiber)} + 1;
}

}  // namespace

running_tasks::running_tasks(const surroundings& around, task_log keeps)
    : crew_(around.crew),
      time_(around.time),
      search_(around.search),
      work_(around.work),
      costs_(around.costs),
      report_(around.report),
      keeps_(keeps),
      log_(around.log),
      workers_(around.crew.layout().workers()) {}

void running_tasks::begin_iteration(const task_graph& graph, const plan& in_force, sweep first) {
  graph_ = &graph;
  root_ended_on_.reset();
  ended_ = 0;
  frames_.assign(graph.size(), {});
  if (log_ != nullptr) forked_.assign(graph.size(), {});
  frame& root = frames_.front();
  root.cursor = plan_cursor(in_force, first);
  if (in_force.root() != nullptr) root.where = in_force.root()->where;
}

std::uint64_t running_tasks::advance(std::uint32_t worker) {
  const worker_turn& me = workers_[worker];
  switch (me.phase) {
    case task_phase::working: return run_slice(worker);
    case task_phase::joining: return join(worker);
    case task_phase::forking_or_ending: break;
  }
  return frame_of(me.task).forks_done < graph_->forks(me.task).size() ? fork(worker) : end_task(worker);
}

std::uint64_t running_tasks::seek(std::uint32_t worker) {
  workers_[worker].task = no_node;
  const searched_task found = search_.seek(worker);
  if (found) return begin_found(worker, found);
  end_work(worker);
  return time_.now_ps();
}

std::uint64_t running_tasks::begin_found(std::uint32_t worker, const searched_task& found) {
  begin_work(worker);
  if (log_ != nullptr) note_found(worker, found);
  start(worker, found.task, entry::on_empty_fiber, time_.now_ps() + found.cost_ps);
  return time_.now_ps() + found.cost_ps;
}

std::uint64_t running_tasks::move_task(std::uint32_t from, std::uint32_t to) {
  workers_[to] = workers_[from];
  workers_[from].task = no_node;
  crew_.swap_fibers(from, to);
  note_switch(from, crew_.fiber_of(to), traces::switch_cause::leaves);
  note_switch(to, crew_.fiber_of(from), traces::switch_cause::is_given);
  work_.move(from, to);
  const std::uint64_t cost_ps = search_.take_over(to);
  begin_work(to);
  return time_.now_ps() + cost_ps;
}

void running_tasks::begin_stretch(std::uint32_t worker) {
  worker_turn& me = workers_[worker];
  me.phase = task_phase::working;
  work_.begin(worker, me.task, graph_->work(me.task, frame_of(me.task).forks_done));
}

std::uint64_t running_tasks::run_slice(std::uint32_t worker) {
  if (work_.prefetches()) prefetch_slices_to_come();
  const std::uint64_t end_ps = work_.run_slice(worker, time_.now_ps());
  if (work_.is_over(worker)) workers_[worker].phase = task_phase::forking_or_ending;
  return end_ps;
}

/// With many workers a slice finds nothing of its own in the host's caches: each worker has its own caches and its own
/// place in the program.
void running_tasks::prefetch_slices_to_come() const noexcept {
  bool is_next = true;
  for (const event& one : time_.next_ones()) {
    if (one.what == event_kind::turn) {
      if (is_next) work_.prefetch_slice(one.worker);
      else work_.prefetch_worker(one.worker);
    }
    is_next = false;
  }
}

void running_tasks::start(std::uint32_t worker, tree_node task, entry how, std::uint64_t at_ps) {
  frame& begun = frame_of(task);
  begun.entered = how;
  begun.fiber = crew_.fiber_of(worker);
  if (begun.where.subtree_root && task != tree_root) {
    begun.subtree_domain = crew_.layout().domain_of(worker);
    crew_.begin_subtree(begun.subtree_domain);
    report_.subtrees.push_back({task, begun.where.domain, begun.subtree_domain});
  }
  if (log_ != nullptr && task != tree_root) note_begin(worker, task, at_ps);
  if (keeps_ == task_log::all) {
    begun.run = static_cast<std::uint32_t>(report_.tasks.size());
    report_.tasks.push_back(
        {.task = task, .began_on = worker, .ended_on = worker, .began_ps = time_.now_ps(), .ended_ps = 0});
  }
  workers_[worker].task = task;
  begin_stretch(worker);
}

std::uint64_t running_tasks::fork(std::uint32_t worker) {
  worker_turn& me = workers_[worker];
  frame& parent = frame_of(me.task);
  const task_graph::fork& made = graph_->forks(me.task)[parent.forks_done];
  const bool asks_plan = parent.cursor.planned() || report_.kind.profiling;
  const std::uint64_t cost_ps = (asks_plan ? costs_.planned_fork_ps : costs_.fork_ps) * made.branching;
  parent.fork = make_children(me.task, made);
  parent.awaited = 0;
  me.phase = task_phase::joining;
  return time_.now_ps() + cost_ps + send_children(worker, made, parent.fork);
}

fork_sending running_tasks::make_children(tree_node parent, const task_graph::fork& made) {
  frame& forking = frame_of(parent);
  const planned_fork foreseen = forking.cursor.fork(made.branching);
  if (forking.cursor.strayed()) report_.strayed = true;
  for (std::uint32_t i = 0; i < made.branching; ++i) {
    frame& child = frame_of(tree_node{index_of(made.first_child) + i});
    child.parent = parent;
    if (foreseen.empty()) continue;
    const planned_fork::child said = foreseen.at(i);
    child.cursor = said.cursor;
    child.where = said.where;
  }
  return foreseen.sending(forking.where, made.branching);
}

/// Children that are not sent run here, one after the other.
std::uint64_t running_tasks::send_children(std::uint32_t worker, const task_graph::fork& made,
                                           const fork_sending& fork) {
  const worker_layout& layout = crew_.layout();
  std::uint64_t cost_ps = 0;
  if (fork.goes_on()) count_off(frame_of(child_of(made, fork, 0)).where);
  fork.for_each_sent([&](std::uint32_t turn) {
    const tree_node child = child_of(made, fork, turn);
    const placement& where = frame_of(child).where;
    work_source into{work_source::kind::deque, worker};
    if (fork.to_pools()) {
      into = crew_.push(child, target_of(where, layout.domain_of(worker), layout.domains()));
      cost_ps += costs_.pool_ps;
      if (log_ != nullptr)
        log_->note(worker, time_.now_ps(),
                   {.subject = subject_of(child), .number = into.index, .kind = traces::event_kind::sends});
    } else {
      crew_.push(crew_.fiber_of(worker), child);
      if (log_ != nullptr) forked_[index_of(child)] = {time_.now_ps(), worker};
    }
    count_off(where);
    cost_ps += search_.publish(worker, into, cost_ps);
  });
  if (fork.goes_on()) start(worker, child_of(made, fork, 0), entry::on_parents_fiber);
  return cost_ps;
}

void running_tasks::count_off(const placement& sent) {
  if (const auto domain = awaited_in(sent, crew_.layout().domains())) crew_.count_off(*domain);
}

std::uint64_t running_tasks::join(std::uint32_t worker) {
  worker_turn& me = workers_[worker];
  frame& parent = frame_of(me.task);
  const task_graph::fork& made = graph_->forks(me.task)[parent.forks_done];
  for (; parent.awaited < made.branching; ++parent.awaited) {
    const tree_node child = child_of(made, parent.fork, parent.awaited);
    if (frame_of(child).done) continue;
    if (crew_.take_back(parent.fiber, child)) {
      start(worker, child, entry::on_parents_fiber);
      return time_.now_ps();
    }
    parent.waiting_for = child;
    ++report_.schedule.suspensions;
    crew_.suspend(worker);
    note_switch(worker, parent.fiber, traces::switch_cause::waits);
    return seek(worker) + costs_.suspend_ps;
  }
  ++parent.forks_done;
  begin_stretch(worker);
  return time_.now_ps();
}

std::uint64_t running_tasks::end_task(std::uint32_t worker) {
  const tree_node task = workers_[worker].task;
  frame& ended = frame_of(task);
  ended.done = true;
  ++ended_;
  if (ended.cursor.forks_missing()) report_.strayed = true;
  if (keeps_ == task_log::all) {
    report_.tasks[ended.run].ended_on = worker;
    report_.tasks[ended.run].ended_ps = time_.now_ps();
  }
  if (task == tree_root) {
    root_ended_on_ = worker;
    workers_[worker].task = no_node;
    end_work(worker);
    return time_.now_ps();
  }
  if (ended.where.subtree_root) {
    crew_.end_subtree(ended.subtree_domain);
    search_.call_for_pools(worker, ended.subtree_domain);
  }
  note_end(worker, task);
  if (ended.entered == entry::on_empty_fiber && frame_of(ended.parent).waiting_for != task) return seek(worker);
  return go_on_with_parent(worker, ended);
}

std::uint64_t running_tasks::go_on_with_parent(std::uint32_t worker, const frame& child) {
  worker_turn& me = workers_[worker];
  me.task = child.parent;
  me.phase = task_phase::joining;
  if (child.entered == entry::on_parents_fiber) return time_.now_ps();
  frame& parent = frame_of(child.parent);
  parent.waiting_for = no_node;
  std::uint64_t cost_ps = costs_.resume_ps;
  const fiber_id left = crew_.fiber_of(worker);
  const bool has_jobs = crew_.resume(worker, parent.fiber);
  note_switch(worker, left, traces::switch_cause::resumes);
  if (has_jobs) cost_ps += search_.publish(worker, {work_source::kind::deque, worker});
  return time_.now_ps() + cost_ps;
}

// --- what a trace shows ---

/// The fork of a stolen task is told now: of forks that nobody steals a trace says nothing.
void running_tasks::note_found(std::uint32_t worker, const searched_task& found) {
  const std::uint64_t at_ps = time_.now_ps() + found.cost_ps;
  const std::uint64_t subject = subject_of(found.task);
  const bool is_stolen = found.from.what == work_source::kind::deque;
  if (is_stolen) {
    const forked_job& forked = forked_[index_of(found.task)];
    log_->note(forked.by, forked.at_ps, {.subject = subject, .kind = traces::event_kind::shares});
    log_->note(worker, at_ps,
               {.subject = subject,
                .value = subject,
                .number = found.from.index,
                .kind = traces::event_kind::takes_steal,
                .detail = crew_.layout().distance(worker, found.from.index)});
  }
  const auto origin = is_stolen ? traces::task_origin::stolen : traces::task_origin::pool;
  log_->note(
      worker, at_ps,
      {.subject = subject, .kind = traces::event_kind::task_begins, .detail = static_cast<std::uint8_t>(origin)});
}

/// A subtree's root is a slice, and so is each task that was asked for, wherever it came from.
void running_tasks::note_begin(std::uint32_t worker, tree_node task, std::uint64_t at_ps) {
  const auto note = [&](traces::task_origin origin) {
    log_->note(worker, at_ps,
               {.subject = subject_of(task),
                .kind = traces::event_kind::task_begins,
                .detail = static_cast<std::uint8_t>(origin)});
  };
  frame& begun = frame_of(task);
  if (begun.where.subtree_root) note(traces::task_origin::subtree);
  begun.is_traced = log_->traces_task(worker);
  if (begun.is_traced) note(traces::task_origin::forked);
}

/// A task may be up to three slices: found by a worker, a subtree's root, and a task that was asked for.
void running_tasks::note_end(std::uint32_t worker, tree_node task) {
  if (log_ == nullptr) return;
  const frame& ended = frame_of(task);
  const traces::event end{.subject = subject_of(task), .kind = traces::event_kind::task_ends};
  if (ended.is_traced) log_->note(worker, time_.now_ps(), end);
  if (ended.where.subtree_root) log_->note(worker, time_.now_ps(), end);
  if (ended.entered == entry::on_empty_fiber) log_->note(worker, time_.now_ps(), end);
}

void running_tasks::note_switch(std::uint32_t worker, fiber_id left, traces::switch_cause why) {
  if (log_ == nullptr) return;
  log_->note(worker, time_.now_ps(),
             {.subject = subject_of(crew_.fiber_of(worker)),
              .value = subject_of(left),
              .kind = traces::event_kind::switches,
              .detail = static_cast<std::uint8_t>(why)});
}

}  // namespace nearfork::sim

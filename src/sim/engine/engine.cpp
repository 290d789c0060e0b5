#include "sim/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

/// A page's worth. The finer, the better is known who was first at a shared cache or a memory node; half the lines cost
/// a tenth more time to simulate.
constexpr std::uint32_t slice_lines = 64;

constexpr std::uint64_t ps(std::uint64_t ns) noexcept {
  return ns * 1000;
}

std::uint64_t longer(std::uint64_t time_ps, double factor) noexcept {
  return factor == 1 ? time_ps : static_cast<std::uint64_t>(std::llround(static_cast<double>(time_ps) * factor));
}

/// Where virtual time ends: 53 days. Half of what 64 bits count is left for what memory and scheduling take.
constexpr std::uint64_t most_ps = std::uint64_t{1} << 62;
constexpr double ps_per_s = 1e12;

std::string seconds(double time_ps) {
  return std::to_string(std::llround(time_ps / ps_per_s)) + " s";
}

std::vector<worker_place> places_of(const machine& where, std::uint32_t workers) {
  if (workers > where.cores().size())
    throw error("nearfork: " + std::to_string(workers) + " simulated workers were asked for; " + where.provenance() +
                " has " + std::to_string(where.cores().size()) + " cores");
  return place_workers(where, workers);
}

virtual_crew::orders orders_of(const machine& where, const policy& how) {
  return {how.order(where, phase::running), how.order(where, phase::profiling)};
}

}  // namespace

engine::engine(const machine& where, const policy& how, const engine_settings& settings, const machine_model& model,
               std::uint64_t data_bytes)
    : costs_(settings.costs.value_or(model.costs)),
      keep_tasks_(settings.keep_tasks),
      policy_name_(how.name()),
      planned_for_(seen_by(how.needs(), {std::shared_ptr<const machine>(), &where})),  // not owned
      places_(places_of(*planned_for_, settings.workers)),
      crew_(layout_of(where, places_), orders_of(*planned_for_, how), settings.seed),
      memory_(where, model, data_bytes),
      energy_(where, model),
      idle_(crew_.layout(), ps(costs_.spin_ns)),
      waits_(crew_.layout()) {
  for (const worker_place& place : places_) {
    const core_id core = where.at(place.pu).core;
    workers_.push_back({.core = core, .slowness = core_slowness(where, model, core)});
  }
  if (crew_.has_last_looks())
    for (std::uint32_t i = 0; i < workers_.size(); ++i) announce_last_look(i, ps(costs_.spin_ns));
}

iteration_report engine::run(const task_graph& graph, iteration_kind kind, const plan& in_force) {
  begin_iteration(graph, kind, in_force);
  const std::uint64_t began_ps = now_ps_;
  const memory_counts before = memory_.counts();
  const std::vector<std::uint64_t> served_before = memory_.served_lines();
  const std::uint64_t handed_over_ps = hand_over(in_force.begins_in());
  crew_.begin_work(last_worker_);
  idle_.activate(last_worker_);
  waits_.end(last_worker_, handed_over_ps);
  start(last_worker_, tree_root, entry::on_empty_fiber);
  queue_.announce(handed_over_ps, last_worker_);
  while (!finished_) {
    if (queue_.empty()) stand_still();
    const event next = queue_.take();
    now_ps_ = next.at_ps;
    if (next.what == event_kind::turn) take_turn(next.worker);
    else look_before_sleep(next.worker);
  }
  report_.duration_ps = now_ps_ - began_ps;
  report_.memory = memory_.counts() - before;
  report_.energy_nj = energy_used();
  report_.wait_ps_of_domain = waits_.waited_ps(now_ps_);
  report_.traffic_bytes_of_node = traffic_since(served_before);
  for (std::uint32_t i = 0; i < own_ps_.size(); ++i) own_costs_[i].time_ns = own_ps_[i] / 1000;
  return std::move(report_);
}

void engine::require_time_for(const task_graph& graph) const {
  double slowness = 1;
  for (const worker_turn& one : workers_) slowness = std::max(slowness, one.slowness);
  const double work_ps = static_cast<double>(graph.compute_ns()) * 1000 * slowness;
  if (static_cast<double>(now_ps_) + work_ps <= static_cast<double>(most_ps)) return;
  throw error("nearfork: an iteration that works " + seconds(work_ps) + ", begun after " +
              seconds(static_cast<double>(now_ps_)) + ", may end after " + seconds(static_cast<double>(most_ps)) +
              ", where simulated time ends; simulate fewer iterations, or a smaller problem");
}

void engine::begin_iteration(const task_graph& graph, iteration_kind kind, const plan& in_force) {
  require_time_for(graph);
  graph_ = &graph;
  finished_ = false;
  crew_.begin_iteration(kind.profiling, kind.planned);
  waits_.begin_iteration(now_ps_);
  report_ = {};
  report_.kind = kind;
  report_.packing_level = in_force.empty() ? 0 : in_force.why().packing_level;
  report_.settled = in_force.standing().settled;
  report_.decision = in_force.why().decision;
  report_.busy_ps.assign(workers_.size(), 0);
  frames_.assign(graph.size(), {});
  own_costs_.assign(graph.size(), {});
  own_ps_.assign(graph.size(), 0);
  frame& root = frames_.front();
  for (std::uint32_t i = 0; i < crew_.layout().domains(); ++i)
    crew_.expect_subtrees(i, in_force.subtrees_at_home_in(i));
  root.cursor = plan_cursor(in_force, kind.first_sweep);
  if (in_force.root() != nullptr) root.where = in_force.root()->where;
}

/// From the worker that ended the last root to one of `domain`, as runtime/region_scope.cpp does it. Returns when that one has it.
std::uint64_t engine::hand_over(std::uint16_t domain) {
  const worker_layout& layout = crew_.layout();
  if (domain == any_domain) return now_ps_;
  const std::uint32_t wanted = domain_meant(domain, layout.domains());
  if (layout.domain_of(last_worker_) == wanted) return now_ps_;
  const auto called = idle_.call_any(wanted, now_ps_, crew_.chance(),
                                     [&](std::uint32_t worker) { return layout.domain_of(worker) == wanted; });
  if (!called) return now_ps_;
  (void)crew_.end_work(last_worker_);
  begin_idling(last_worker_);
  last_worker_ = called->worker;
  return now_ps_ + ps(costs_.pool_ns) + telling_ps(*called) + answering_ps(*called);
}

std::optional<std::uint64_t> engine::energy_used() const {
  std::vector<std::uint64_t> busy_ps(energy_.cores(), 0);
  for (std::size_t i = 0; i < workers_.size(); ++i) busy_ps[index_of_id(workers_[i].core)] = report_.busy_ps[i];
  return energy_.used_nj(report_.duration_ps, busy_ps);
}

std::vector<std::uint64_t> engine::traffic_since(const std::vector<std::uint64_t>& served_before) const {
  std::vector<std::uint64_t> bytes = memory_.served_lines();
  for (std::size_t node = 0; node < bytes.size(); ++node)
    bytes[node] = (bytes[node] - served_before[node]) * memory_.line_bytes();
  return bytes;
}

void engine::stand_still() const {
  throw error("nearfork: the simulation has come to a stand: there are " + std::to_string(crew_.jobs()) +
              " tasks that no free worker may take under policy " + policy_name_);
}

void engine::take_turn(std::uint32_t worker) {
  if (idle_.is_called(worker)) answer_call(worker);
  else go_on(worker);
}

/// Until another worker has its turn.
void engine::go_on(std::uint32_t worker) {
  for (;;) {
    const std::uint64_t until_ps = advance(worker);
    if (workers_[worker].task == no_node) return;
    if (!queue_.none_until(until_ps)) return queue_.announce(until_ps, worker);
    now_ps_ = until_ps;
  }
}

std::uint64_t engine::advance(std::uint32_t worker) {
  const worker_turn& me = workers_[worker];
  switch (me.phase) {
    case task_phase::working: return run_slice(worker);
    case task_phase::joining: return join(worker);
    case task_phase::forking_or_ending: break;
  }
  return frame_of(me.task).forks_done < graph_->forks(me.task).size() ? fork(worker) : end_task(worker);
}

engine::line_range engine::lines_of(const data_access& access) const noexcept {
  if (access.size_bytes == 0) return {0, 0};
  const std::uint64_t first = access.begin_byte / memory_.line_bytes();
  const std::uint64_t last = (access.begin_byte + access.size_bytes - 1) / memory_.line_bytes();
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first + 1)};
}

void engine::begin_access(progress& at) const {
  const line_range lines = lines_of(at.accesses.front());
  at.next_line = lines.first;
  at.access_lines_left = lines.count;
}

void engine::begin_stretch(std::uint32_t worker) {
  worker_turn& me = workers_[worker];
  const stretch work = graph_->work(me.task, frame_of(me.task).forks_done);
  me.phase = task_phase::working;
  me.at = {.accesses = work.accesses, .compute_ps_left = longer(ps(work.compute_ns), me.slowness)};
  for (const data_access& one : work.accesses) me.at.lines_left += lines_of(one).count;
  if (me.at.lines_left == 0) return;
  me.at.compute_ps_per_line = me.at.compute_ps_left / me.at.lines_left;
  begin_access(me.at);
}

memory_toll engine::touch_lines(worker_turn& me, std::uint32_t most, std::uint32_t& touched) {
  memory_toll toll;
  progress& at = me.at;
  while (touched < most && at.lines_left > 0) {
    const std::uint32_t count = std::min(most - touched, at.access_lines_left);
    toll += memory_.touch(me.core, at.next_line, count, at.accesses.front().kind);
    at.next_line += count;
    at.access_lines_left -= count;
    at.lines_left -= count;
    touched += count;
    if (at.access_lines_left > 0 || at.lines_left == 0) continue;
    at.accesses = at.accesses.subspan(1);
    begin_access(at);
  }
  return toll;
}

std::uint64_t engine::run_slice(std::uint32_t worker) {
  worker_turn& me = workers_[worker];
  std::uint32_t touched = 0;
  const memory_toll toll = touch_lines(me, slice_lines, touched);
  const std::uint64_t compute_ps = me.at.lines_left == 0 ? me.at.compute_ps_left : touched * me.at.compute_ps_per_line;
  me.at.compute_ps_left -= compute_ps;
  if (me.at.lines_left == 0) me.phase = task_phase::forking_or_ending;

  const std::uint64_t end_ps = std::max(now_ps_ + compute_ps + toll.latency_ps, memory_.serve(now_ps_));
  report_.busy_ps[worker] += end_ps - now_ps_;
  own_ps_[index_of(me.task)] += end_ps - now_ps_;
  own_costs_[index_of(me.task)].size_bytes += toll.private_misses * memory_.line_bytes();
  return end_ps;
}

std::uint64_t engine::seek(std::uint32_t worker) {
  waits_.begin(worker, now_ps_);
  if (crew_.end_work(worker)) call_for_pools(crew_.layout().domain_of(worker));
  const found_work found = crew_.find_work(worker);
  if (!found) {
    workers_[worker].task = no_node;
    begin_idling(worker);
    return now_ps_;
  }
  return begin_found(worker, found);
}

std::uint64_t engine::begin_found(std::uint32_t worker, const found_work& found) {
  crew_.begin_work(worker);
  const std::uint64_t cost_ps = count_found(worker, found);
  waits_.end(worker, now_ps_ + cost_ps);
  start(worker, found.task, entry::on_empty_fiber);
  return now_ps_ + cost_ps;
}

/// What the search order keeps for workers that would sleep. Whoever was called meanwhile, or has found something, is not meant.
void engine::look_before_sleep(std::uint32_t worker) {
  workers_[worker].last_look_due = false;
  if (!idle_.would_sleep(worker, now_ps_)) return;
  const found_work found = crew_.find_work(worker, virtual_crew::patience::would_sleep);
  if (!found) return;
  idle_.activate(worker);
  queue_.announce(begin_found(worker, found), worker);
  pass_on();
}

/// Returns what finding it costs.
std::uint64_t engine::count_found(std::uint32_t worker, const found_work& found) {
  schedule_counts& counted = report_.schedule;
  counted.failed_looks += found.looks;
  const std::uint64_t looks_ps = ps(costs_.failed_look_ns) * found.looks;
  if (found.from.what != work_source::kind::deque) {
    ++counted.pool_takes;
    return looks_ps + ps(costs_.pool_ns);
  }
  const worker_layout& layout = crew_.layout();
  const std::uint8_t distance = layout.distance(worker, found.from.index);
  ++counted.steals[distance];
  if (layout.domain_of(worker) != layout.domain_of(found.from.index)) ++counted.steals_between_domains;
  return looks_ps + ps(costs_.steal_ns[distance]);
}

void engine::answer_call(std::uint32_t worker) {
  idle_.activate(worker);
  const std::uint64_t ready_ps = seek(worker);
  if (workers_[worker].task != no_node) queue_.announce(ready_ps, worker);
  pass_on();
}

std::uint64_t engine::publish(work_source source) {
  const bool in_pool = source.what != work_source::kind::deque;
  const std::uint32_t domain = in_pool ? source.index : crew_.layout().domain_of(source.index);
  const auto called = idle_.call_any(domain, now_ps_, crew_.chance(),
                                     [&](std::uint32_t worker) { return crew_.reaches(worker, source); });
  if (called) return announce(*called);
  return in_pool && crew_.has_last_looks() ? wake_for_last_look(domain) : 0;
}

void engine::begin_idling(std::uint32_t worker) {
  idle_.begin_idling(worker, now_ps_);
  waits_.begin(worker, now_ps_);
  if (crew_.has_last_looks()) announce_last_look(worker, ps(costs_.spin_ns));
}

void engine::announce_last_look(std::uint32_t worker, std::uint64_t after_ps) {
  workers_[worker].last_look_due = true;
  queue_.announce(now_ps_ + after_ps, worker, event_kind::last_look);
}

/// One that sleeps is woken for its domain's pool, may not take, searches for as long as it may, and then takes all the same.
std::uint64_t engine::wake_for_last_look(std::uint32_t domain) {
  for (const std::uint32_t worker : crew_.layout().workers_of(domain))
    if (idle_.would_sleep(worker, now_ps_) && !workers_[worker].last_look_due) {
      announce_last_look(worker, ps(costs_.wake_ns) + ps(costs_.spin_ns));
      return ps(costs_.notify_ns);
    }
  return 0;
}

/// The domain is no longer busy: one of its workers may take from pools what it could not take before.
void engine::call_for_pools(std::uint32_t domain) {
  if (crew_.jobs() == 0) return;
  for (const std::uint32_t worker : crew_.layout().workers_of(domain))
    if (idle_.is_idle(worker) && crew_.work_in_sight(worker)) {
      (void)announce(idle_.call_one(worker, now_ps_));
      return;
    }
}

/// Whoever was called may have found something else, or nothing: what he was called for shall not be forgotten.
void engine::pass_on() {
  if (crew_.jobs() == 0) return;
  const auto called =
      idle_.call_any(0, now_ps_, crew_.chance(), [&](std::uint32_t worker) { return crew_.work_in_sight(worker); });
  if (called) (void)announce(*called);
}

std::uint64_t engine::announce(idle_workers::call who) {
  queue_.announce(now_ps_ + answering_ps(who), who.worker);
  return telling_ps(who);
}

/// Until the worker that was called looks.
std::uint64_t engine::answering_ps(idle_workers::call who) {
  ++(who.parked ? report_.schedule.wakes : report_.schedule.notices);
  return ps(who.parked ? costs_.wake_ns : costs_.notice_ns);
}

/// What calling it costs who calls.
std::uint64_t engine::telling_ps(idle_workers::call who) const noexcept {
  return who.parked ? ps(costs_.notify_ns) : 0;
}

}  // namespace nearfork::sim
